/** A follower of the stream and a reader of all pages, who change servers all the time. */
import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import type { EmailEvent } from '../../../src/events/event.ts'
import { EventStream } from '../log/event-stream.ts'
import type { LogPage } from '../log/log-client.ts'
import type { BalancedServers } from './balanced-servers.ts'
import type { NumberedTraffic, SeenEvents } from './numbered-traffic.ts'

/** Streams send something every 15 seconds. */
const SILENCE_MS = 25_000
/** For the next event, once everything is acknowledged. */
const PATIENCE_MS = 90_000
const PAGE = '1000'

export interface ReaderOptions {
  readonly balanced: BalancedServers
  readonly traffic: NumberedTraffic
  readonly tenantKey: string
}

/** Follows from now on; reconnects to the next server whenever the stream ends or is silent. */
export class StreamFollower implements Disposable {
  readonly #options: ReaderOptions
  readonly #seen: SeenEvents
  readonly #ended: Promise<void>
  readonly #stopped = new AbortController()
  #position = ''
  reconnections = 0

  private constructor(options: ReaderOptions) {
    this.#options = options
    this.#seen = options.traffic.startSeeing()
    this.#ended = this.#follow()
    this.#ended.catch(() => undefined)
  }

  /** Resolves when it has its first position. */
  static async start(options: ReaderOptions): Promise<StreamFollower> {
    const follower = new StreamFollower(options)
    while (follower.#position === '') await Promise.race([delay(20), follower.#ended])
    return follower
  }

  /** Events that it has seen. */
  get size(): number {
    return this.#seen.size
  }

  /** Resolves when every acknowledged event was seen; fails if one does not come, or was seen twice. */
  async finish(): Promise<number> {
    const { traffic } = this.#options
    let [size, since] = [0, Date.now()]
    while (this.#seen.size < traffic.acknowledgedEvents && Date.now() - since < PATIENCE_MS) {
      if (this.#seen.size > size) [size, since] = [this.#seen.size, Date.now()]
      await Promise.race([delay(200), this.#ended])
    }
    const missing = traffic.findMissing(this.#seen, traffic.acknowledged)
    assert.equal(missing, undefined, `an acknowledged event was not on the stream: ${JSON.stringify(missing)}`)
    this[Symbol.dispose]()
    await this.#ended
    return this.#seen.size
  }

  [Symbol.dispose](): void {
    this.#stopped.abort()
  }

  async #follow(): Promise<void> {
    const { balanced, tenantKey } = this.#options
    while (!this.#stopped.signal.aborted) {
      const { address } = balanced.next()
      const position: Record<string, string> = this.#position === '' ? {} : { 'last-event-id': this.#position }
      try {
        const headers = { authorization: tenantKey, ...position }
        await using stream = await inTime(EventStream.open(`${address}/v1/events/stream`, headers))
        if (stream.response.status === 200) await this.#read(stream)
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error
      }
      this.reconnections += 1
      await delay(100)
    }
  }

  async #read(stream: EventStream): Promise<void> {
    const { signal } = this.#stopped
    const close = () => void stream[Symbol.asyncDispose]()
    // One timer for all frames: there are millions.
    const silence = setTimeout(close, SILENCE_MS)
    signal.addEventListener('abort', close)
    try {
      while (!signal.aborted) {
        const frame = await stream.next()
        if (!frame) return
        silence.refresh()
        if (frame.event === 'log') this.#seen.see(JSON.parse(frame.data) as EmailEvent)
        this.#position = frame.id
      }
    } finally {
      clearTimeout(silence)
      signal.removeEventListener('abort', close)
    }
  }
}

/**
 * Reads all pages, each from another server: what was acknowledged when it began is there, and nothing twice. Returns the number of events
 * by type and hour, such as `Bounce 495000`. `pause`: between pages.
 */
export async function walk(
  { balanced, traffic, tenantKey }: ReaderOptions,
  domain: string,
  window: Readonly<Record<string, string>>,
  pause: () => Promise<void> = async () => undefined,
): Promise<ReadonlyMap<string, number>> {
  const { acknowledged } = traffic
  const seen = traffic.startSeeing()
  const counts = new Map<string, number>()
  for (let token: string | undefined = ''; token !== undefined; ) {
    const query = new URLSearchParams({ limit: PAGE, ...(token === '' ? window : { next_token: token }) })
    const init = { headers: { authorization: tenantKey } }
    const page = JSON.parse(await balanced.request(`/webhooks/${domain}?${query.toString()}`, init)) as LogPage
    for (const event of page.events) {
      seen.see(event)
      const key = `${event.type} ${Math.floor(event.timestamp / 3600)}`
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
    token = page.next_token
    await pause()
  }
  const missing = traffic.findMissing(seen, acknowledged, domain)
  assert.equal(missing, undefined, `an acknowledged event is missing: ${JSON.stringify(missing)}`)
  return counts
}

/** Rejects after too long a silence. */
async function inTime<T>(work: Promise<T>): Promise<T> {
  const done = new AbortController()
  const late = delay(SILENCE_MS, undefined, { signal: done.signal })
  const silence = late.then(() => Promise.reject(new Error('silence')))
  silence.catch(() => undefined)
  work.catch(() => undefined)
  try {
    return await Promise.race([work, silence])
  } finally {
    done.abort()
  }
}
