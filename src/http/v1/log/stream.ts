/** GET /v1/events/stream: the events of a tenant as they arrive (server-sent events). GET /v1/admin/events/stream: those of all tenants. */
import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AskedLog } from '../../../events/log/cursor.ts'
import type { ArrivalPosition, EventLog } from '../../../events/log/event-log.ts'
import type { ShownFields } from '../../../events/log/log-query.ts'
import { findAnyDomains, findLogDomains } from '../../../events/log/search-log.ts'
import { AppError } from '../../../lib/app-error.ts'
import * as t from '../../../lib/json-schema.ts'
import { known } from '../../../lib/known.ts'
import { readToken, writeToken } from '../../../lib/sealing/sealed-token.ts'
import type { Sealer } from '../../../lib/sealing/sealer.ts'
import { nextTurn } from '../../../lib/turns/next-turn.ts'
import { isStillAllowed } from '../../access/still-allowed.ts'
import { MissingDays } from '../../answers/incomplete.ts'
import { pacedStream } from '../../answers/paced-stream.ts'
import type { AppDeps } from '../../app-deps.ts'
import { READ_REFUSALS } from '../../routes/refusals.ts'
import { content, routesOf } from '../../routes/route.ts'
import { toFilters } from './event-filters.ts'
import type { AskedDomains, FindDomains } from './following/followed-domains.ts'
import type { Follower } from './following/follower.ts'
import { Followers } from './following/followers.ts'
import { findReadTenants, OPERATOR_READER, shownToTenants } from './readers.ts'
import { AnyStreamQuery, STREAM_EVENT, STREAM_POSITION, StreamQuery } from './stream.wire.ts'
import { TenantPlaces } from './tenant-places.ts'

const STREAM_LIMITS = { perTenant: 50, altogether: 1000 }

/** Minimum interval between batches, however fast events arrive. */
const BATCH_INTERVAL_MS = 100
const BUSY_MS = 1000
/** Each event gets a sealed position. Small, so that many streams catching up at once do not block other requests. */
const BATCH_EVENTS = 50
const BATCH_BUDGET_MS = 100

export function addStream(scope: FastifyInstance, deps: AppDeps): void {
  const places = new TenantPlaces('streams', STREAM_LIMITS)
  const { log, control } = deps.storage
  const findDomains: FindDomains = ({ tenantId, tenants, names, withoutNames }) => {
    const asked = known({ tenants, domains: names, withoutDomains: withoutNames })
    return tenantId === OPERATOR_READER
      ? findAnyDomains(control, asked)
      : findLogDomains(control.domains, tenantId, asked)
  }
  const followers = new Followers(log.arrivals, findDomains)
  scope.addHook('preClose', async () => followers.close())

  routesOf(scope, 'v1', { tenant: 'logs' })('GET /v1/events/stream', {
    exposeHeadRoute: false,
    operationId: 'streamEvents',
    summary: 'Follow the log',
    description:
      'Events as they arrive, regardless of their timestamp, as server-sent events named `' +
      `${STREAM_EVENT}\`, each with the event as JSON in \`data\`. With the \`id\` of an event as \`Last-Event-ID\` the ` +
      'stream resumes after that event without gaps, also after a restart of the server; without it, only new events are ' +
      `sent. An event named \`${STREAM_POSITION}\` has only an \`id\`: one is sent at the start, and one with a comment ` +
      'after every 15 seconds without events. The stream ends when the key is revoked or expires, the session ends or the server stops.',
    query: StreamQuery,
    answer: content('The stream.', { 'text/event-stream': t.text() }),
    refusals: ['invalid_cursor', 'domain_not_found', ...READ_REFUSALS],
    async handle({ caller: { tenantId }, query, request, reply }) {
      return answer({ tenantId, shown: shownToTenants(deps) }, query, request, reply)
    },
  })

  routesOf(scope, 'v1', { operator: 'read' })('GET /v1/admin/events/stream', {
    exposeHeadRoute: false,
    operationId: 'streamAllEvents',
    summary: 'Follow the log of all tenants',
    description:
      'Like `GET /v1/events/stream`, for the domains of all tenants or of those named by `tenant`, and with the fields that say where ' +
      'messages were sent from.',
    query: AnyStreamQuery,
    audit: 'reading',
    answer: content('The stream.', { 'text/event-stream': t.text() }),
    refusals: ['invalid_cursor', 'domain_not_found', 'not_found', ...READ_REFUSALS],
    async handle({ query, about, request, reply }) {
      const { tenants } = await findReadTenants(deps, query, about)
      return answer({ tenantId: OPERATOR_READER, shown: 'sending', tenants }, query, request, reply)
    },
  })

  async function answer(
    { tenantId, tenants, shown }: Reader,
    query: t.Static<typeof StreamQuery>,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const asked = toFilters(query, shown)
    const sealer = deps.sealerFor(`stream ${tenantId}`)
    const lastId = String(request.headers['last-event-id'] ?? '') || query.last_event_id
    const from = lastId === undefined ? await log.arrivals.last(tenantId) : readPosition(sealer, lastId)
    const domains = { tenantId, tenants, names: asked.domains, withoutNames: asked.withoutDomains }
    await findDomains(domains)
    const place = places.take(tenantId)
    const follower = followers.join({ asked: domains, isAllowed: () => isStillAllowed(deps, request) })
    // The stream itself notices a closed connection only at its next write.
    reply.raw.once('close', () => follower.end())
    const frames = follow(log, followers, { follower, tenantId, filters: asked.filters, shown, sealer, from })
    deps.metrics.countStreams(1)
    const stream = pacedStream(frames, () => {
      deps.metrics.countStreams(-1)
      followers.leave(follower)
      place[Symbol.dispose]()
    })
    new MissingDays(deps.storage).nameIn(reply)
    return reply.type('text/event-stream; charset=utf-8').header('x-accel-buffering', 'no').send(stream)
  }
}

interface Reader extends Pick<AskedDomains, 'tenantId' | 'tenants'> {
  readonly shown: ShownFields
}

interface Following {
  readonly follower: Follower
  readonly tenantId: string
  readonly filters: AskedLog['filters']
  readonly shown: ShownFields
  readonly sealer: Sealer
  readonly from: ArrivalPosition
}

async function* follow(
  { arrivals }: Pick<EventLog, 'arrivals'>,
  followers: Followers,
  { follower, tenantId, filters, shown, sealer, from }: Following,
): AsyncGenerator<string> {
  let after = from
  yield `retry: 1000\n\n${formatFrame(STREAM_POSITION, sealer, after, '{}')}`
  for (;;) {
    const step = await follower.next()
    if (step === 'end') return
    if (step === 'heartbeat') {
      // With the position after everything examined: a client that resumes there need not read it again.
      after = follower.moveOn(after, followers.settled)
      yield `: still here\n\n${formatFrame(STREAM_POSITION, sealer, after, '{}')}`
      continue
    }
    const query = { tenantId, filters, shown, after, limit: BATCH_EVENTS, budgetMs: BATCH_BUDGET_MS }
    const page = await follower.read((domains) => arrivals.list({ domains, ...query })).catch(toBusy)
    if (!page) {
      follower.arrive()
      await pause(BUSY_MS)
      continue
    }
    const { events, position, hasMore } = page
    after = position
    yield events.map((event) => formatFrame(STREAM_EVENT, sealer, event.position, event.text)).join('')
    await (hasMore ? nextTurn() : pause(BATCH_INTERVAL_MS))
  }
}

/** Undefined if the read may succeed in a moment. Ending the stream would only add the load of its reconnecting. */
function toBusy(error: unknown): undefined {
  if (error instanceof AppError && (error.code === 'overloaded' || error.code === 'too_many_reads')) return undefined
  throw error
}

/** JSON text has no line breaks, so one `data:` line is enough. */
function formatFrame(name: string, sealer: Sealer, position: ArrivalPosition, data: string): string {
  return `event: ${name}\nid: ${writeToken(sealer, { position })}\ndata: ${data}\n\n`
}

/** Where the client left off. Throws AppError `invalid_cursor`. */
function readPosition(sealer: Sealer, lastId: string): ArrivalPosition {
  const { position } = (readToken(sealer, lastId) ?? {}) as { readonly position?: ArrivalPosition }
  if (position !== undefined) return position
  throw new AppError('invalid_cursor', 'Last-Event-ID does not belong to this stream; reconnect without it.')
}
