/** GET /v1/events/stream: the events of a tenant as they arrive, as server-sent events. */
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { type AskedLog, findLogDomains } from '../../../events/search-log.ts'
import type { ArrivalPlace } from '../../../events/tenant-log.ts'
import { AppError } from '../../../lib/app-error.ts'
import { readToken, writeToken } from '../../../lib/sealed-token.ts'
import type { Sealer } from '../../../lib/sealer.ts'
import { authenticateById } from '../../../tenants/authenticate.ts'
import { tenantOf } from '../../access/access.ts'
import type { AppDeps } from '../../app-deps.ts'
import { refusals, WITH_SESSION } from '../../docs/openapi.ts'
import { parseQuery } from '../../request/query-parameters.ts'
import { ArrivalBell } from './arrival-bell.ts'
import { parseFilters } from './event-filters.ts'
import { pacedStream } from './paced-stream.ts'
import { STREAM_EVENT, STREAM_POSITION, StreamQuery } from './stream.wire.ts'
import { TenantPlaces } from './tenant-places.ts'

const STREAM_LIMITS = { perTenant: 50, altogether: 1000 }

/** So often is looked for what other processes store, and whether the key still holds. */
const POLL_MS = 1000
/** Not more often than this, however fast events come in: those of a moment are sent together. */
const ROUND_MS = 100
/** Proxies and browsers give up on what is silent. */
const HEARTBEAT_MS = 15_000
/** Each is sealed a place of its own. So few that many streams which catch up at once hold up nobody else for long. */
const EVENTS_PER_ROUND = 50
const ROUND_BUDGET_MS = 100

export function addStream(scope: FastifyInstance, deps: AppDeps): void {
  const places = new TenantPlaces('streams', STREAM_LIMITS)
  const closing = new AbortController()
  scope.addHook('preClose', async () => closing.abort())

  scope.get(
    '/v1/events/stream',
    {
      exposeHeadRoute: false,
      config: { surface: 'v1', access: { tenant: 'logs' } },
      schema: {
        operationId: 'streamEvents',
        summary: 'Follow the log',
        description:
          'Events as they arrive, whatever their own time, as server-sent events named `' +
          `${STREAM_EVENT}\`, each with the event as JSON in \`data\`. Sent back as \`Last-Event-ID\`, the \`id\` of an event goes ` +
          'on behind it and misses nothing, over restarts of the server too; without it, only what is new is sent. An event ' +
          `named \`${STREAM_POSITION}\` has nothing but such an \`id\`: one comes at the beginning, and one with a comment ` +
          'after every 15 seconds of silence. The stream ends when the key is revoked, the session ends or the server stops.',
        querystring: StreamQuery,
        response: {
          200: { description: 'The stream.', content: { 'text/event-stream': { schema: Type.String() } } },
          ...refusals(...WITH_SESSION, 'invalid_request', 'invalid_cursor', 'domain_not_found', 'overloaded'),
        },
      },
    },
    async (request, reply) => {
      const { tenantId } = tenantOf(request)
      const asked = parseFilters(request.query)
      const sealer = deps.sealerFor(`stream ${tenantId}`)
      const from = findPlace(request, sealer) ?? (await deps.storage.log.lastArrival())
      await findLogDomains(deps.storage.domains, tenantId, asked.domains)
      const place = places.take(tenantId)
      const gone = new AbortController()
      const signal = AbortSignal.any([gone.signal, closing.signal])
      // The stream itself hears of it only when it has something to say.
      reply.raw.once('close', () => gone.abort())
      const frames = follow(deps, request, { asked, sealer, from, signal })
      return reply
        .type('text/event-stream; charset=utf-8')
        .header('x-accel-buffering', 'no')
        .send(pacedStream(frames, () => place[Symbol.dispose]()))
    },
  )
}

interface Following {
  readonly asked: Pick<AskedLog, 'domains' | 'conditions'>
  readonly sealer: Sealer
  readonly from: ArrivalPlace
  readonly signal: AbortSignal
}

async function* follow(deps: AppDeps, request: FastifyRequest, following: Following): AsyncGenerator<string> {
  const { asked, sealer, signal } = following
  const { tenantId } = tenantOf(request)
  const { log, domains: domainStore } = deps.storage
  const { conditions } = asked
  using bell = new ArrivalBell(log)
  let after = following.from
  let spokenAt = performance.now()
  yield `retry: 1000\n\n${formatFrame(STREAM_POSITION, sealer, after, '{}')}`
  while (!signal.aborted && (await isStillAllowed(deps, request))) {
    // Every time: a domain that is added meanwhile belongs to what is followed.
    const domains = await findLogDomains(domainStore, tenantId, asked.domains)
    const query = { domains, conditions, after, limit: EVENTS_PER_ROUND, budgetMs: ROUND_BUDGET_MS }
    const { events, place, hasMore } = await log.listArrivals(query)
    after = place
    const frames = events.map((event) => formatFrame(STREAM_EVENT, sealer, event.place, event.text))
    if (frames.length === 0 && performance.now() - spokenAt > HEARTBEAT_MS) {
      // With the place in all that has gone by: whoever takes it up again need not look at that.
      frames.push(`: still here\n\n${formatFrame(STREAM_POSITION, sealer, after, '{}')}`)
    }
    if (frames.length > 0) {
      yield frames.join('')
      spokenAt = performance.now()
    }
    if (hasMore) {
      await nextTurn()
      continue
    }
    await bell.wait(POLL_MS, signal)
    await pause(ROUND_MS, undefined, { signal }).catch(() => undefined)
  }
}

/** JSON holds no line ends, so that one line of data is enough. */
function formatFrame(name: string, sealer: Sealer, place: ArrivalPlace, data: string): string {
  return `event: ${name}\nid: ${writeToken(sealer, { place })}\ndata: ${data}\n\n`
}

/** Where the client left off. Throws AppError `invalid_cursor`. */
function findPlace({ headers, query }: FastifyRequest, sealer: Sealer): ArrivalPlace | undefined {
  const { last_event_id: asked } = parseQuery(StreamQuery, query)
  const header = headers['last-event-id']
  const id = typeof header === 'string' && header !== '' ? header : asked
  if (id === undefined) return undefined
  const { place } = (readToken(sealer, id) ?? {}) as { readonly place?: ArrivalPlace }
  if (place !== undefined) return place
  throw new AppError('invalid_cursor', 'The Last-Event-ID is none of this stream: go on without one')
}

/** The key may be revoked, and the session end, while the stream is open. */
async function isStillAllowed({ storage, keyUses, clock }: AppDeps, request: FastifyRequest): Promise<boolean> {
  if (request.session && request.session.expiresAtMs <= clock()) return false
  try {
    await authenticateById({ keys: storage.keys, uses: keyUses, clock }, tenantOf(request).keyId)
    return true
  } catch (error) {
    if (error instanceof AppError) return false
    throw error
  }
}
