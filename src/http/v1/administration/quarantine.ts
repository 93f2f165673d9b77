/** GET and DELETE /v1/admin/quarantine, POST /v1/admin/quarantine/replay. */
import { clearQuarantine } from '../../../events/ingest/clear-quarantine.ts'
import { findSource, formatSource, type Source } from '../../../events/ingest/quarantine-room.ts'
import type { QuarantineStore, QuarantinedRecord as StoredRecord } from '../../../events/ingest/quarantine-store.ts'
import { type ReplayCounts, replayRejected } from '../../../events/ingest/replay-rejected.ts'
import { AppError } from '../../../lib/app-error.ts'
import { nextTurn } from '../../../lib/turns/next-turn.ts'
import { REPORT } from '../../../reports/report-intake.ts'
import { createEventTies } from '../../../reports/tie-event.ts'
import type { AdministrationDeps } from '../../app-deps.ts'
import { type AddAdminRoute, json } from '../../routes/route.ts'
import {
  DroppedQuery,
  DroppedSchema,
  type QuarantinedRecord,
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
  const { domains, quarantine, keys } = control
  const intakes = new Map([[REPORT, reports]])
  const time = { clock, knownTime: deps.retention, retentionMs }
  const own = { log, domains, quarantine, keys, ...time, serviceMessageIdField }
  const tieEvent = createEventTies({ references: deps.references, domains, log, clock })
  const ingest = { ...own, connectors, intakes, quotas, tieEvent }
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
      const names = new Map((await control.keys.listTenants()).map(({ id, name }) => [id, name]))
      const toWire = (record: StoredRecord) => toWireRecord(record, names, whole)
      const { records, hasMore } = await listRecords(quarantine, afterId, { limit, isWhole: whole, toWire })
      const last = hasMore ? records.at(-1) : undefined
      const { records: count, bytes, sources } = await quarantine.usage(SOURCES_MAX)
      return {
        records,
        count,
        bytes,
        bytesMax: quarantine.bytesMax,
        sources: sources.map(({ source, ...use }) => ({ source: formatSource(source), ...use })),
        next: last ? String(last.id) : null,
      }
    },
  })

  route('DELETE /v1/admin/quarantine', {
    operationId: 'dropQuarantine',
    summary: 'Delete quarantined records',
    description: 'Permanently, by id, by connector, by source, or all. Send exactly one of the four parameters.',
    query: DroppedQuery,
    answer: json('The number of deleted records.', DroppedSchema),
    refusals: ['storage_unavailable'],
    async handle({ query: { id: ids = [], connector, source, all = false }, about }) {
      if ([ids.length > 0, connector !== undefined, source !== undefined, all].filter(Boolean).length !== 1) {
        throw new AppError('invalid_request', 'Send exactly one of id, connector, source and all=true.')
      }
      about(ids.join(' ') || (connector ?? source ?? 'all'))
      if (ids.length > 0) return { dropped: await removeIds(quarantine, ids) }
      return { dropped: await clearQuarantine(quarantine, { connector, source: requireSource(source) }) }
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

/** Sources in a listing: those that use most. */
const SOURCES_MAX = 20

interface Page {
  readonly records: readonly QuarantinedRecord[]
  readonly hasMore: boolean
}

interface Listing {
  readonly limit: number
  readonly isWhole: boolean
  readonly toWire: (record: StoredRecord) => QuarantinedRecord
}

/** Each record may have 16 MiB: of a page only what is shown stays in memory, and other requests run in between. */
async function listRecords(
  quarantine: Pick<QuarantineStore, 'list'>,
  afterId: number,
  { limit, isWhole, toWire }: Listing,
): Promise<Page> {
  const records: QuarantinedRecord[] = []
  for (let bytes = 0; ; await nextTurn()) {
    // One record more than requested shows whether there is a next page.
    const wanted = { afterId: records.at(-1)?.id ?? afterId, limit: limit + 1 - records.length }
    const found = await quarantine.list(wanted)
    if (found.length === 0) return { records, hasMore: false }
    for (const record of found) {
      bytes += record.payload.length
      const isFull = records.length === limit || (isWhole && records.length > 0 && bytes > WHOLE_BYTES_MAX)
      if (isFull) return { records, hasMore: true }
      records.push(toWire(record))
    }
  }
}

/** Their payloads may be large, and ingest waits for each removal. */
const REMOVED_AT_ONCE = 50

async function removeIds(quarantine: Pick<QuarantineStore, 'remove'>, ids: readonly number[]): Promise<number> {
  const distinct = [...new Set(ids)]
  let removed = 0
  for (let at = 0; at < distinct.length; at += REMOVED_AT_ONCE)
    removed += await quarantine.remove(distinct.slice(at, at + REMOVED_AT_ONCE))
  return removed
}

function requireSource(text: string | undefined): Source | undefined {
  const source = text === undefined ? undefined : findSource(text)
  if (text !== undefined && !source)
    throw new AppError(
      'invalid_request',
      `${JSON.stringify(text)} is not a source, such as "smtp 192.0.2.1" or "local".`,
    )
  return source
}
