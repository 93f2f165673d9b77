/** Answers a search of the log as a page or as a file, for a tenant or the operator. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type AskedLog, createCursors } from '../../../events/log/cursor.ts'
import type { EventText, ShownFields } from '../../../events/log/log-query.ts'
import { exportLog, type SearchLogDeps, type SearchLogResult, searchLog } from '../../../events/log/search-log.ts'
import { toIsoTime } from '../../../lib/clock.ts'
import { known } from '../../../lib/known.ts'
import { whileAllowed } from '../../access/still-allowed.ts'
import { MissingDays } from '../../answers/incomplete.ts'
import { brokenOffAtClose, pacedStream } from '../../answers/paced-stream.ts'
import type { AppDeps } from '../../app-deps.ts'
import { goneSignal } from '../../request/gone-signal.ts'
import { csvFile, type EventFile, NDJSON_FILE } from './event-file.ts'
import type { EVENT_FORMATS } from './events.wire.ts'
import { TenantPlaces } from './tenant-places.ts'

export const EXPORT_LIMITS = { perTenant: 4, altogether: 32 }

interface EventSearch {
  /** The tenant, or who stands for it. */
  readonly reader: string
  readonly asked: AskedLog
  readonly shown: ShownFields
  readonly format: (typeof EVENT_FORMATS)[number]
  readonly limit: number
  readonly cursor?: string | undefined
}

type AnswerSearch = (search: EventSearch, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

/** `purpose`: of its cursors. */
export function createSearch(
  scope: FastifyInstance,
  deps: AppDeps,
  purpose: string,
  readable: Pick<SearchLogDeps, 'findDomains'> = {},
): AnswerSearch {
  const { storage, clock, queryBudgetMs: budgetMs } = deps
  const cursors = createCursors(deps.sealerFor(purpose), clock, 'cursor')
  const dependencies = { log: storage.log, domains: storage.control.domains, cursors, clock, budgetMs, ...readable }
  const exports = new TenantPlaces('exports', EXPORT_LIMITS)
  const untilClose = brokenOffAtClose(scope)

  return async ({ reader: tenantId, asked, shown, format, limit, cursor }, request, reply) => {
    const missing = new MissingDays(storage)
    if (format === 'json') {
      const signal = goneSignal(reply)
      const found = await searchLog(dependencies, { tenantId, asked, shown, limit, signal, ...known({ cursor }) })
      return missing.nameIn(reply, found.window).type('application/json; charset=utf-8').send(toPageText(found))
    }
    // Validate before the response starts: after that, no error can be sent.
    const { pages, window } = await exportLog(dependencies, { tenantId, asked, shown })
    const events = missing.whileComplete(whileAllowed(deps, request, pages), window)
    const place = exports.take(tenantId)
    const file = format === 'csv' ? csvFile(deps.serviceMessageIdField, shown) : NDJSON_FILE
    const name = `events-${toIsoTime(clock()).slice(0, 10)}.${format}`
    return (
      missing
        .nameIn(reply, window)
        .type(file.contentType)
        .header('content-disposition', `attachment; filename="${name}"`)
        // nginx would collect it in temporary files, faster than its client reads.
        .header('x-accel-buffering', 'no')
        .send(untilClose(pacedStream(toPieces(file, events), () => place[Symbol.dispose]())))
    )
  }
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
