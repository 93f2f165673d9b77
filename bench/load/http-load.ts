/** Load on a server over keep-alive connections: as much as they carry, or at a fixed rate. Every response must be 200. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { Figures } from './figures.ts'

export interface LoadRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: { readonly authorization: string }
  readonly body?: Buffer
}

export interface LoadResult {
  readonly requests: number
  readonly seconds: number
  readonly latenciesMs: Figures
}

/** Undefined ends the load. */
export type NextRequest = () => LoadRequest | undefined

/** The connection of a larger response would be closed. */
const RESPONSE_MAX = 64 * 1024 * 1024

export function getRequest(path: string, key: string): LoadRequest {
  return { method: 'GET', path, headers: { authorization: key } }
}

export function postRequest(path: string, key: string, body: Buffer): LoadRequest {
  return { method: 'POST', path, headers: { authorization: key }, body }
}

/**
 * Closed loop: each connection sends its next request when the previous one is answered. Several addresses share the connections, as
 * behind a load balancer.
 */
export async function saturate(
  address: string | readonly [string, ...string[]],
  connections: number,
  next: NextRequest,
  onBody?: (body: string) => void,
): Promise<LoadResult> {
  const addresses = typeof address === 'string' ? [address] : address
  const pools = addresses.map((one) => openPool(one, Math.ceil(connections / addresses.length)))
  const latenciesMs = new Figures()
  const started = performance.now()
  try {
    await Promise.all(
      Array.from({ length: connections }, async (_, connection) => {
        const pool = pools[connection % pools.length] as Pool
        for (let request = next(); request; request = next()) {
          const sentAt = performance.now()
          await send(pool, request, onBody)
          latenciesMs.add(performance.now() - sentAt)
        }
      }),
    )
    return { requests: latenciesMs.count, seconds: (performance.now() - started) / 1000, latenciesMs }
  } finally {
    await Promise.all(pools.map((pool) => pool.destroy()))
  }
}

export interface Pace {
  readonly perSecond: number
  readonly seconds: number
  readonly connections: number
}

/**
 * Open loop: requests are sent on schedule, answered or not. A request that finds no free connection waits in the pool, and
 * the wait counts: otherwise a slow response would hide the delay of the requests after it.
 */
export async function keepPace(address: string, pace: Pace, next: NextRequest): Promise<LoadResult> {
  const pool = openPool(address, pace.connections)
  const latenciesMs = new Figures()
  const failure = Promise.withResolvers<never>()
  const sent: Promise<void>[] = []
  const total = Math.floor(pace.perSecond * pace.seconds)
  const started = performance.now()
  try {
    while (sent.length < total) {
      const request = next()
      if (!request) throw new Error('the load ran out of requests')
      const dueAt = performance.now()
      const answered = send(pool, request).then(() => latenciesMs.add(performance.now() - dueAt))
      answered.catch(failure.reject)
      sent.push(answered)
      const early = started + (sent.length / pace.perSecond) * 1000 - performance.now()
      if (early > 0) await Promise.race([failure.promise, sleep(Math.max(1, early))])
    }
    await Promise.race([failure.promise, Promise.all(sent)])
    return { requests: sent.length, seconds: (performance.now() - started) / 1000, latenciesMs }
  } finally {
    await pool.destroy()
  }
}

async function send(pool: Pool, request: LoadRequest, onBody?: (body: string) => void): Promise<void> {
  const { statusCode, body } = await pool.request({ ...request, body: request.body ?? null })
  if (statusCode !== 200) throw new Error(`the server answered ${statusCode}: ${(await body.text()).slice(0, 500)}`)
  // Reading the text costs the load generator a processor that the server could use.
  if (onBody) onBody(await body.text())
  else await body.dump({ limit: RESPONSE_MAX })
}

function openPool(address: string, connections: number): Pool {
  return new Pool(address, { connections, pipelining: 1 })
}
