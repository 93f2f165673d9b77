/** GET /v1/events/stream: the events of a tenant as they arrive (server-sent events). */
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { AskedLog } from '../../../events/log/cursor.ts'
import type { ArrivalPosition } from '../../../events/log/event-log.ts'
import { findLogDomains } from '../../../events/log/search-log.ts'
import { AppError } from '../../../lib/app-error.ts'
import * as t from '../../../lib/json-schema.ts'
import { readToken, writeToken } from '../../../lib/sealing/sealed-token.ts'
import type { Sealer } from '../../../lib/sealing/sealer.ts'
import { authenticateById } from '../../../tenants/authenticate.ts'
import type { TenantPrincipal } from '../../../tenants/principal.ts'
import type { KeySession } from '../../../tenants/session.ts'
import { pacedStream } from '../../answers/paced-stream.ts'
import type { AppDeps } from '../../app-deps.ts'
import { READ_REFUSALS } from '../../routes/refusals.ts'
import { content, routesOf } from '../../routes/route.ts'
import { ArrivalBell } from './arrival-bell.ts'
import { toFilters } from './event-filters.ts'
import { STREAM_EVENT, STREAM_POSITION, StreamQuery } from './stream.wire.ts'
import { TenantPlaces } from './tenant-places.ts'

const STREAM_LIMITS = { perTenant: 50, altogether: 1000 }

/** Interval for polling events of other processes and re-checking the key. */
const POLL_MS = 1000
/** Minimum interval between batches, however fast events arrive. */
const ROUND_MS = 100
/** Proxies and browsers close idle connections. */
const HEARTBEAT_MS = 15_000
/** Each event gets a sealed position. Small, so that many streams catching up at once do not block other requests. */
const EVENTS_PER_ROUND = 50
const ROUND_BUDGET_MS = 100

export function addStream(scope: FastifyInstance, deps: AppDeps): void {
  const places = new TenantPlaces('streams', STREAM_LIMITS)
  const closing = new AbortController()
  scope.addHook('preClose', async () => closing.abort())

  routesOf(scope, 'v1', { tenant: 'logs' })('GET /v1/events/stream', {
    exposeHeadRoute: false,
    operationId: 'streamEvents',
    summary: 'Follow the log',
    description:
      'Events as they arrive, regardless of their timestamp, as server-sent events named `' +
      `${STREAM_EVENT}\`, each with the event as JSON in \`data\`. With the \`id\` of an event as \`Last-Event-ID\` the ` +
      'stream resumes after that event without gaps, also after a restart of the server; without it, only new events are ' +
      `sent. An event named \`${STREAM_POSITION}\` has only an \`id\`: one is sent at the start, and one with a comment ` +
      'after every 15 seconds without events. The stream ends when the key is revoked, the session ends or the server stops.',
    query: StreamQuery,
    answer: content('The stream.', { 'text/event-stream': t.text() }),
    refusals: ['invalid_cursor', 'domain_not_found', ...READ_REFUSALS],
    async handle({ caller, query, request, reply }) {
      const { tenantId } = caller
      const asked = toFilters(query)
      const sealer = deps.sealerFor(`stream ${tenantId}`)
      const lastId = String(request.headers['last-event-id'] ?? '') || query.last_event_id
      const from = lastId === undefined ? await deps.storage.log.arrivals.last(tenantId) : readPosition(sealer, lastId)
      await findLogDomains(deps.storage.control.domains, tenantId, asked.domains)
      const place = places.take(tenantId)
      const gone = new AbortController()
      const signal = AbortSignal.any([gone.signal, closing.signal])
      // The stream itself notices a closed connection only at its next write.
      reply.raw.once('close', () => gone.abort())
      const { session } = request
      const frames = follow(deps, { caller, session, asked, sealer, from, signal })
      return reply
        .type('text/event-stream; charset=utf-8')
        .header('x-accel-buffering', 'no')
        .send(pacedStream(frames, () => place[Symbol.dispose]()))
    },
  })
}

interface Following {
  readonly caller: TenantPrincipal
  readonly session: KeySession | null
  readonly asked: Pick<AskedLog, 'domains' | 'filters'>
  readonly sealer: Sealer
  readonly from: ArrivalPosition
  readonly signal: AbortSignal
}

async function* follow(deps: AppDeps, following: Following): AsyncGenerator<string> {
  const { caller, asked, sealer, signal } = following
  const { arrivals } = deps.storage.log
  const { filters } = asked
  using bell = new ArrivalBell(arrivals, signal)
  let after = following.from
  let spokenAt = performance.now()
  yield `retry: 1000\n\n${formatFrame(STREAM_POSITION, sealer, after, '{}')}`
  while (!signal.aborted && (await isStillAllowed(deps, following))) {
    // Looked up every time, so that domains added meanwhile are included.
    const domains = await findLogDomains(deps.storage.control.domains, caller.tenantId, asked.domains)
    const { tenantId } = caller
    const query = { tenantId, domains, filters, after, limit: EVENTS_PER_ROUND, budgetMs: ROUND_BUDGET_MS }
    const { events, position, hasMore } = await arrivals.list(query)
    after = position
    const frames = events.map((event) => formatFrame(STREAM_EVENT, sealer, event.position, event.text))
    if (frames.length === 0 && performance.now() - spokenAt > HEARTBEAT_MS) {
      // With the position after everything examined: a client that resumes there need not read it again.
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
    await bell.wait(POLL_MS)
    await pause(ROUND_MS, undefined, { signal }).catch(() => undefined)
  }
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

/** The key may be revoked, and the session end, while the stream is open. */
async function isStillAllowed({ storage, keyUses, clock }: AppDeps, { caller, session }: Following): Promise<boolean> {
  if (session && session.expiresAtMs <= clock()) return false
  try {
    await authenticateById({ keys: storage.control.keys, uses: keyUses, clock }, caller.keyId)
    return true
  } catch (error) {
    if (error instanceof AppError) return false
    throw error
  }
}
