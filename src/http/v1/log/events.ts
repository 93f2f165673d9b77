/** GET /v1/events: the log of all domains of the tenant, as pages or as a file. */
import type { FastifyInstance } from 'fastify'
import { createCursors } from '../../../events/log/cursor.ts'
import type { EventText } from '../../../events/log/log-query.ts'
import { exportLog, type SearchLogResult, searchLog } from '../../../events/log/search-log.ts'
import { toIsoTime } from '../../../lib/clock.ts'
import * as t from '../../../lib/json-schema.ts'
import { known } from '../../../lib/known.ts'
import { whileAllowed } from '../../access/still-allowed.ts'
import { MissingDays } from '../../answers/incomplete.ts'
import { pacedStream } from '../../answers/paced-stream.ts'
import type { AppDeps } from '../../app-deps.ts'
import { goneSignal } from '../../request/gone-signal.ts'
import { READ_REFUSALS } from '../../routes/refusals.ts'
import { content, routesOf } from '../../routes/route.ts'
import { csvFile, type EventFile, NDJSON_FILE } from './event-file.ts'
import { toFilters, toWindow } from './event-filters.ts'
import { EventsPageSchema, EventsQuery } from './events.wire.ts'
import { TenantPlaces } from './tenant-places.ts'

const EXPORT_LIMITS = { perTenant: 4, altogether: 32 }

export function addEvents(scope: FastifyInstance, deps: AppDeps): void {
  const { storage, clock, queryBudgetMs: budgetMs } = deps
  const cursors = createCursors(deps.sealerFor('log cursor'), clock, 'cursor')
  const dependencies = { log: storage.log, domains: storage.control.domains, cursors, clock, budgetMs }
  const exports = new TenantPlaces('exports', EXPORT_LIMITS)
  const files = { csv: csvFile(deps.serviceMessageIdField), ndjson: NDJSON_FILE }

  routesOf(scope, 'v1', { tenant: 'logs' })('GET /v1/events', {
    // A HEAD request would produce a whole export and discard it.
    exposeHeadRoute: false,
    operationId: 'searchEvents',
    summary: 'Search the log',
    description:
      'Events of all domains of the tenant, newest first. Different filters are combined with AND, values of the same ' +
      'filter with OR. Without `from` the window is the last 15 days, or all retained events with `message_id`. A JSON ' +
      'request that exceeds its time budget returns the events found so far and a cursor; CSV and NDJSON responses ' +
      `contain all matching events; if the key is revoked or the session ends meanwhile, the connection is broken off. A tenant can run ${EXPORT_LIMITS.perTenant} exports at a time.`,
    query: EventsQuery,
    answer: content('A page, or a file.', {
      'application/json': EventsPageSchema,
      'text/csv': t.text(),
      'application/x-ndjson': t.text(),
    }),
    refusals: ['invalid_cursor', 'domain_not_found', ...READ_REFUSALS],
    async handle({ caller: { tenantId }, query, request, reply }) {
      const { format, limit, cursor } = query
      const asked = { ...toFilters(query), ...toWindow(query) }
      const missing = new MissingDays(storage)
      if (format === 'json') {
        const signal = goneSignal(reply)
        const found = await searchLog(dependencies, { tenantId, asked, limit, signal, ...known({ cursor }) })
        return missing.nameIn(reply, found.window).type('application/json; charset=utf-8').send(toPageText(found))
      }
      // Validate before the response starts: after that, no error can be sent.
      const { pages, window } = await exportLog(dependencies, { tenantId, asked })
      const events = missing.whileComplete(whileAllowed(deps, request, pages), window)
      const place = exports.take(tenantId)
      const name = `events-${toIsoTime(clock()).slice(0, 10)}.${format}`
      return missing
        .nameIn(reply, window)
        .type(files[format].contentType)
        .header('content-disposition', `attachment; filename="${name}"`)
        .send(pacedStream(toPieces(files[format], events), () => place[Symbol.dispose]()))
    },
  })
}

async function* toPieces(file: EventFile, pages: AsyncGenerator<readonly EventText[]>): AsyncGenerator<string> {
  yield file.head
  for await (const events of pages) yield file.toText(events)
}

/** Events are stored as JSON text, so the page is concatenated without parsing them. */
function toPageText({ events, nextCursor, searchedTo }: SearchLogResult): string {
  const rest = JSON.stringify({ next: nextCursor ?? null, searchedTo: toIsoTime(searchedTo * 1000) })
  return `{"events":[${events.join(',')}],${rest.slice(1)}`
}
