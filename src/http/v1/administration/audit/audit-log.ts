/** GET /v1/admin/audit: the audit log, as pages or as a file. */
import type { AuditFilters, AuditStore } from '../../../../audit/audit-store.ts'
import { toIsoTime } from '../../../../lib/clock.ts'
import * as t from '../../../../lib/json-schema.ts'
import { known } from '../../../../lib/known.ts'
import { nextTurn } from '../../../../lib/turns/next-turn.ts'
import { whileAllowed } from '../../../access/still-allowed.ts'
import { pacedStream } from '../../../answers/paced-stream.ts'
import type { AdministrationDeps } from '../../../app-deps.ts'
import { type AddAdminRoute, content } from '../../../routes/route.ts'
import { parseIsoTime } from '../../iso-time.ts'
import { TenantPlaces } from '../../log/tenant-places.ts'
import { AUDIT_FILES, type AuditFile } from './audit-file.ts'
import { type AuditPage, AuditPageSchema, AuditQuery, toWireEntry } from './audit-log.wire.ts'

const EXPORTS_MAX = 4
const ENTRIES_PER_PIECE = 200

export function addAuditLog(route: AddAdminRoute, deps: AdministrationDeps): void {
  const { storage, audit, clock } = deps
  const store = storage.control.audit
  const exports = new TenantPlaces('exports', { perTenant: EXPORTS_MAX, altogether: EXPORTS_MAX })

  route('GET /v1/admin/audit', {
    // A HEAD request would produce a whole export and discard it.
    exposeHeadRoute: false,
    operationId: 'listAudit',
    access: { operator: 'read' },
    summary: 'List the audit log',
    description:
      'Changes made in the administration, reads of secrets, sign-ins and sign-outs, and requests that were denied, newest ' +
      'first. An action is in the list when its response is sent; summed entries within 30 seconds at the latest.',
    query: AuditQuery,
    answer: content('A page, or a file.', {
      'application/json': AuditPageSchema,
      'text/csv': t.text(),
      'application/x-ndjson': t.text(),
    }),
    refusals: ['overloaded'],
    async handle({ query, request, reply }) {
      const { format, limit, cursor: beforeId } = query
      const filters = toFilters(query)
      // Sums are written in batches; write the pending ones first. A failure only makes the list slightly older.
      await audit.flush().catch(() => undefined)
      if (format === 'json') {
        const { entries, nextBeforeId } = await store.list({ filters, limit, ...known({ beforeId }) })
        const next = nextBeforeId === undefined ? null : String(nextBeforeId)
        return reply.send({ entries: entries.map(toWireEntry), next } satisfies AuditPage)
      }
      const pieces = toPieces(AUDIT_FILES[format], store, filters)
      const place = exports.take('operator')
      return reply
        .type(AUDIT_FILES[format].contentType)
        .header('content-disposition', `attachment; filename="audit-${toIsoTime(clock()).slice(0, 10)}.${format}"`)
        .header('x-accel-buffering', 'no')
        .send(pacedStream(whileAllowed(deps, request, pieces), () => place[Symbol.dispose]()))
    },
  })
}

function toFilters({ from, to, kind, actor, action, outcome }: t.Static<typeof AuditQuery>): AuditFilters {
  return known({
    fromMs: from === undefined ? undefined : parseIsoTime('from', from),
    toMs: to === undefined ? undefined : parseIsoTime('to', to),
    kind,
    actor,
    action,
    outcome,
  })
}

async function* toPieces(file: AuditFile, store: AuditStore, filters: AuditFilters): AsyncGenerator<string> {
  yield file.head
  for (let beforeId: number | undefined; ; ) {
    const page = await store.list({ filters, limit: ENTRIES_PER_PIECE, ...known({ beforeId }) })
    yield page.entries.map((entry) => file.toText(toWireEntry(entry))).join('')
    beforeId = page.nextBeforeId
    if (beforeId === undefined) return
    await nextTurn()
  }
}
