/** Load on a server: as much as some connections can carry, or so many requests a second. Every answer must be 200. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type HttpAnswer, HttpConnection } from './http-connection.ts'

export interface LoadResult {
  readonly requests: number
  readonly seconds: number
  readonly latenciesMs: readonly number[]
}

/** What comes next; undefined ends the load. */
export type NextRequest = () => Buffer | undefined

/** Each connection sends its next request when the one before is answered. */
export async function saturate(
  address: string,
  connections: number,
  next: NextRequest,
  onAnswer: (body: Buffer) => void = () => undefined,
): Promise<LoadResult> {
  const pool = await openPool(address, connections)
  const latenciesMs: number[] = []
  const started = performance.now()
  try {
    await Promise.all(
      pool.map(async (connection) => {
        for (let request = next(); request; request = next()) {
          const sentAt = performance.now()
          const answer = await connection.send(request)
          latenciesMs.push(performance.now() - sentAt)
          onAnswer(requireOk(answer))
        }
      }),
    )
    return { requests: latenciesMs.length, seconds: (performance.now() - started) / 1000, latenciesMs }
  } finally {
    for (const connection of pool) connection.close()
  }
}

export interface Pace {
  readonly perSecond: number
  readonly seconds: number
  readonly connections: number
}

/**
 * Requests at their times, whether or not the ones before are answered. One that finds no free connection waits for it,
 * and the waiting counts: a slow answer must not hide behind the requests that were not sent.
 */
export async function keepPace(address: string, pace: Pace, next: NextRequest): Promise<LoadResult> {
  const pool = await openPool(address, pace.connections)
  const free = [...pool]
  const waiting: (() => void)[] = []
  const latenciesMs: number[] = []

  async function send(request: Buffer): Promise<void> {
    const due = performance.now()
    if (free.length === 0) await new Promise<void>((resolve) => waiting.push(resolve))
    const connection = free.pop()
    if (!connection) throw new Error('a connection was promised and is not there')
    requireOk(await connection.send(request))
    latenciesMs.push(performance.now() - due)
    free.push(connection)
    waiting.shift()?.()
  }

  const failure = Promise.withResolvers<never>()
  const sent: Promise<void>[] = []
  const total = Math.floor(pace.perSecond * pace.seconds)
  const started = performance.now()
  try {
    while (sent.length < total) {
      const due = Math.floor(((performance.now() - started) / 1000) * pace.perSecond) + 1
      while (sent.length < Math.min(due, total)) {
        const request = next()
        if (!request) throw new Error('the load ran out of requests')
        const sending = send(request)
        sending.catch(failure.reject)
        sent.push(sending)
      }
      const nextAtMs = (sent.length / pace.perSecond) * 1000
      await Promise.race([failure.promise, sleep(Math.max(1, nextAtMs - (performance.now() - started)))])
    }
    await Promise.race([failure.promise, Promise.all(sent)])
    return { requests: sent.length, seconds: (performance.now() - started) / 1000, latenciesMs }
  } finally {
    for (const connection of pool) connection.close()
  }
}

function requireOk({ status, body }: HttpAnswer): Buffer {
  if (status !== 200) throw new Error(`the server answered ${status}: ${body.toString().slice(0, 500)}`)
  return body
}

function openPool(address: string, connections: number): Promise<HttpConnection[]> {
  return Promise.all(Array.from({ length: connections }, () => HttpConnection.open(address)))
}
