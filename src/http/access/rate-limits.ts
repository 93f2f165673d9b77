/** Rate limits per key: how many requests a minute each key may make, for reading and for ingest. */
import type { FastifyReply } from 'fastify'
import { AppError } from '../../lib/app-error.ts'
import type { Clock } from '../../lib/clock.ts'
import { TokenBuckets } from '../../lib/turns/token-buckets.ts'
import { LOCAL_OPERATOR, type Principal } from '../../tenants/principal.ts'
import type { Access, Surface } from './access.ts'

export type LimitName = 'read' | 'ingest'

/** Requests a minute for each key; undefined for no limit. */
export type RequestRates = Readonly<Record<LimitName, number | undefined>>

export const NO_RATES: RequestRates = { read: undefined, ingest: undefined }

/** draft-ietf-httpapi-ratelimit-headers: the limit itself, and what is left of it. */
export const POLICY_HEADER = 'RateLimit-Policy'
export const LIMIT_HEADER = 'RateLimit'

const WINDOW_SECONDS = 60

/** The limit that a route counts for. Administration has none, and public routes have limits of their own. */
export function limitOf(access: Access, surface: Surface, method: string): LimitName | undefined {
  if (access === 'public') return undefined
  if (surface === 'operations') return 'ingest'
  // Signing out is always possible.
  if (access === 'key') return method === 'GET' || method === 'HEAD' ? 'read' : undefined
  return 'tenant' in access ? 'read' : undefined
}

interface Limit {
  readonly buckets: TokenBuckets
  readonly policy: string
  readonly perMinute: number
}

export class RateLimits {
  readonly #clock: Clock
  readonly #limits: Readonly<Record<LimitName, Limit | undefined>>

  constructor(rates: RequestRates, clock: Clock) {
    this.#clock = clock
    this.#limits = { read: createLimit('read', rates.read), ingest: createLimit('ingest', rates.ingest) }
  }

  /** Counts a request, and adds the headers to its answer. Throws AppError `too_many_requests`. */
  count(name: LimitName, principal: Principal, reply: FastifyReply): void {
    const limit = this.#limits[name]
    if (!limit || principal === LOCAL_OPERATOR) return
    const { isTaken, left, nextInMs, fullInMs } = limit.buckets.draw(principal.keyId, this.#clock())
    reply.header(POLICY_HEADER, limit.policy)
    reply.header(LIMIT_HEADER, `"${name}";r=${left};t=${Math.ceil(fullInMs / 1000)}`)
    if (isTaken) return
    const retryAfterSeconds = Math.max(1, Math.ceil(nextInMs / 1000))
    throw new AppError(
      'too_many_requests',
      `This key is limited to ${limit.perMinute} requests per minute; retry in ${retryAfterSeconds} s.`,
      { retryAfterSeconds },
    )
  }
}

/** A key that was idle may use a whole minute's requests at once. */
function createLimit(name: LimitName, perMinute: number | undefined): Limit | undefined {
  if (perMinute === undefined) return undefined
  const policy = `"${name}";q=${perMinute};w=${WINDOW_SECONDS}`
  return { buckets: new TokenBuckets({ burst: perMinute, perMinute }), policy, perMinute }
}
