/** GET and DELETE /v1/admin/quarantine, POST /v1/admin/quarantine/replay. */
import type { QuarantinedRecord, QuarantineStore } from '../../../events/ingest/quarantine-store.ts'
import { type ReplayCounts, replayRejected } from '../../../events/ingest/replay-rejected.ts'
import { AppError } from '../../../lib/app-error.ts'
import { REPORT } from '../../../reports/report-intake.ts'
import type { AdministrationDeps } from '../../app-deps.ts'
import { type AddAdminRoute, json } from '../../routes/route.ts'
import {
  DroppedQuery,
  DroppedSchema,
  QuarantineQuery,
  QuarantineSchema,
  ReplaySchema,
  toWireRecord,
} from './quarantine.wire.ts'

/** Maximum size of the payloads of a page, unless a single one is larger. */
const WHOLE_BYTES_MAX = 4 * 1024 * 1024

export function addQuarantine(route: AddAdminRoute, deps: AdministrationDeps): void {
  const { storage, clock, connectors, reports, retentionMs, serviceMessageIdField, eventQuotas: quotas } = deps
  const { log, control } = storage
  const { domains, quarantine } = control
  const intakes = new Map([[REPORT, reports]])
  const ingest = { log, domains, quarantine, clock, retentionMs, serviceMessageIdField, connectors, intakes, quotas }
  let replaying: Promise<ReplayCounts> | undefined

  route('GET /v1/admin/quarantine', {
    operationId: 'listQuarantine',
    access: { operator: 'read' },
    summary: 'List quarantined records',
    description:
      'Records that could not be stored, byte for byte as received, with the reason. Payloads are cut at 16 KiB unless `whole` is set.',
    query: QuarantineQuery,
    answer: json('One page of records.', QuarantineSchema),
    async handle({ query: { cursor: afterId = 0, limit, whole } }) {
      const { records, hasMore } = whole
        ? await listWhole(quarantine, afterId, limit)
        : await listPage(quarantine, afterId, limit)
      const last = hasMore ? records.at(-1) : undefined
      const names = new Map((await control.keys.listTenants()).map(({ id, name }) => [id, name]))
      return {
        records: records.map((record) => toWireRecord(record, names, whole)),
        count: await quarantine.count(),
        next: last ? String(last.id) : null,
      }
    },
  })

  route('DELETE /v1/admin/quarantine', {
    operationId: 'dropQuarantine',
    summary: 'Delete quarantined records',
    description: 'Permanently, by id, by connector, or all. Send exactly one of the three parameters.',
    query: DroppedQuery,
    answer: json('The number of deleted records.', DroppedSchema),
    refusals: ['storage_unavailable'],
    async handle({ query: { id: ids = [], connector, all = false }, about }) {
      if ([ids.length > 0, connector !== undefined, all].filter(Boolean).length !== 1) {
        throw new AppError('invalid_request', 'Send exactly one of id, connector and all=true.')
      }
      about(ids.length > 0 ? ids.join(' ') : (connector ?? 'all'))
      if (ids.length === 0) return { dropped: await quarantine.removeAll(connector) }
      const present = await findPresent(quarantine, [...new Set(ids)])
      await quarantine.remove(present)
      return { dropped: present.length }
    },
  })

  route('POST /v1/admin/quarantine/replay', {
    operationId: 'replayQuarantine',
    summary: 'Replay quarantined records',
    description:
      'Tries to store all quarantined records again. Stored records leave the quarantine; the others stay, with the ' +
      'current reason. Calls that arrive during a replay share its result.',
    answer: json('The result of the replay.', ReplaySchema),
    refusals: ['storage_unavailable', 'overloaded'],
    handle() {
      replaying ??= replayRejected(ingest).finally(() => {
        replaying = undefined
      })
      return replaying
    },
  })
}

interface Page {
  readonly records: readonly QuarantinedRecord[]
  readonly hasMore: boolean
}

type Listing = Pick<QuarantineStore, 'list'>

async function listPage(quarantine: Listing, afterId: number, limit: number): Promise<Page> {
  // One record more than requested shows whether there is a next page.
  const found = await quarantine.list({ afterId, limit: limit + 1 })
  return { records: found.slice(0, limit), hasMore: found.length > limit }
}

/** One record at a time: each may have 16 MiB, so a page of them would not fit into memory. */
async function listWhole(quarantine: Listing, afterId: number, limit: number): Promise<Page> {
  const records: QuarantinedRecord[] = []
  for (let bytes = 0; ; ) {
    const [record] = await quarantine.list({ afterId: records.at(-1)?.id ?? afterId, limit: 1 })
    if (!record) return { records, hasMore: false }
    if (records.length > 0 && (records.length === limit || bytes + record.payload.length > WHOLE_BYTES_MAX))
      return { records, hasMore: true }
    records.push(record)
    bytes += record.payload.length
  }
}

async function findPresent(quarantine: Listing, ids: readonly number[]): Promise<readonly number[]> {
  const present: number[] = []
  for (const id of ids) {
    const [record] = await quarantine.list({ afterId: id - 1, limit: 1 })
    if (record?.id === id) present.push(id)
  }
  return present
}
