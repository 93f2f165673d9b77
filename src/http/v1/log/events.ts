/** GET /v1/events: the log of all domains of the tenant, as pages or as a file. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { type AskedLog, createCursors } from '../../../events/log/cursor.ts'
import type { EventText } from '../../../events/log/log-query.ts'
import { exportLog, type SearchLogResult, searchLog } from '../../../events/log/search-log.ts'
import { toIsoTime } from '../../../lib/clock.ts'
import { tenantOf } from '../../access/access.ts'
import { pacedStream } from '../../answers/paced-stream.ts'
import type { AppDeps } from '../../app-deps.ts'
import { refusals, WITH_SESSION } from '../../docs/openapi.ts'
import { parseQuery } from '../../request/query-parameters.ts'
import { csvFile, type EventFile, NDJSON_FILE } from './event-file.ts'
import { parseAskedLog } from './event-filters.ts'
import { EVENTS_LIMIT_DEFAULT, EVENTS_LIMIT_MAX, EventsPageSchema, EventsQuery } from './events.wire.ts'
import { TenantPlaces } from './tenant-places.ts'

const EXPORT_LIMITS = { perTenant: 4, altogether: 32 }

export function addEvents(scope: FastifyInstance, deps: AppDeps): void {
  const { storage, clock, queryBudgetMs: budgetMs } = deps
  const cursors = createCursors(deps.sealerFor('log cursor'), clock, 'cursor')
  const dependencies = { log: storage.log, domains: storage.control.domains, cursors, clock, budgetMs }
  const exports = new TenantPlaces('exports', EXPORT_LIMITS)
  const files = { csv: csvFile(deps.serviceMessageIdField), ndjson: NDJSON_FILE }
  scope.addSchema(EventsPageSchema)

  scope.get(
    '/v1/events',
    {
      // A HEAD request would produce a whole export and discard it.
      exposeHeadRoute: false,
      config: { surface: 'v1', access: { tenant: 'logs' } },
      schema: {
        operationId: 'searchEvents',
        summary: 'Search the log',
        description:
          'Events of all domains of the tenant, newest first. Different filters are combined with AND, values of the same ' +
          'filter with OR. Without `from` the window is the last 15 days, or all retained events with `message_id`. A JSON ' +
          'request that exceeds its time budget returns the events found so far and a cursor; CSV and NDJSON responses ' +
          `contain all matching events. A tenant can run ${EXPORT_LIMITS.perTenant} exports at a time.`,
        querystring: EventsQuery,
        response: {
          200: {
            description: 'A page, or a file.',
            content: {
              'application/json': { schema: Type.Ref(EventsPageSchema.$id) },
              'text/csv': { schema: Type.String() },
              'application/x-ndjson': { schema: Type.String() },
            },
          },
          ...refusals(...WITH_SESSION, 'invalid_request', 'invalid_cursor', 'domain_not_found', 'overloaded'),
        },
      },
    },
    async (request, reply) => {
      const { tenantId } = tenantOf(request)
      const { format = 'json', limit = EVENTS_LIMIT_DEFAULT, cursor } = parseQuery(EventsQuery, request.query)
      const asked = parseAskedLog(request.query)
      if (format !== 'json') return sendFile(request, reply, format, files[format], asked)
      const found = await searchLog(dependencies, {
        tenantId,
        asked,
        limit: Math.min(limit, EVENTS_LIMIT_MAX),
        ...(cursor !== undefined && { cursor }),
      })
      return reply.type('application/json; charset=utf-8').send(toPageText(found))
    },
  )

  async function sendFile(
    request: FastifyRequest,
    reply: FastifyReply,
    format: string,
    file: EventFile,
    asked: AskedLog,
  ): Promise<FastifyReply> {
    const { tenantId } = tenantOf(request)
    // Validate before the response starts: after that, no error can be sent.
    const pages = await exportLog(dependencies, { tenantId, asked })
    const place = exports.take(tenantId)
    const name = `events-${toIsoTime(clock()).slice(0, 10)}.${format}`
    return reply
      .type(file.contentType)
      .header('content-disposition', `attachment; filename="${name}"`)
      .send(pacedStream(toPieces(file, pages), () => place[Symbol.dispose]()))
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
