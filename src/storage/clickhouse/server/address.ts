/** One ClickHouse server by its address: requests by HTTP, and whether it answers. */
import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client'

/** Debian's version closes idle connections after three seconds. */
const IDLE_SOCKET_MS = 2000
/** Longer than any request may take: requests have deadlines of their own. */
const LAST_RESORT_MS = 600_000
/** While requests wait, the server has to answer a ping within this time: a slow query is waited for, a frozen server is not. */
const PING_INTERVAL_MS = 1500
const PING_TIMEOUT_MS = 2000
/** An address that failed is used only if no other is left, until it answers a ping after this time. */
const AVOIDED_MS = 1000

export interface AddressOptions {
  readonly url: string
  readonly user: string
  readonly password: string
  readonly connections: number
}

export interface ServerRequest {
  readonly sql: string
  readonly settings: Readonly<Record<string, number | string>>
  /** Sent as the body; the statement is then a parameter. */
  readonly body?: Uint8Array
  /** Of the body, if it is not just values. */
  readonly contentType?: string
  readonly signal: AbortSignal
  /** When the signal aborts it, the server has to be told: it would go on until its time is used up. */
  readonly mustBeKilled?: boolean
}

export class Address {
  readonly #client: ClickHouseClient
  readonly #waiting = new Set<AbortController>()
  #watch: NodeJS.Timeout | undefined
  #probe: NodeJS.Timeout | undefined
  #isClosed = false

  constructor({ url, user, password, connections }: AddressOptions) {
    // The client would take its configuration from the rest of the address, and print that it does.
    const { origin, pathname, username, password: secret } = new URL(url)
    this.#client = createClient({
      url: `${origin}${pathname}`,
      username: decodeURIComponent(username) || user,
      password: decodeURIComponent(secret) || password,
      application: 'envelog',
      max_open_connections: connections,
      request_timeout: LAST_RESORT_MS,
      keep_alive: { enabled: true, idle_socket_ttl: IDLE_SOCKET_MS, eagerly_destroy_stale_sockets: true },
      compression: { request: false, response: false },
      log: { level: ClickHouseLogLevel.OFF },
    })
  }

  get isAvoided(): boolean {
    return this.#probe !== undefined
  }

  avoid(): void {
    if (!this.#isClosed) this.#probe ??= setTimeout(() => void this.#reconsider(), AVOIDED_MS).unref()
  }

  /** The whole response. Rejects with what the client, the server or the signal gave as the reason. */
  async request({ sql, settings, body, contentType, signal, mustBeKilled = false }: ServerRequest): Promise<string> {
    signal.throwIfAborted()
    const queryId = mustBeKilled ? randomUUID() : undefined
    const frozen = new AbortController()
    const ended = AbortSignal.any([signal, frozen.signal])
    this.#waiting.add(frozen)
    this.#watch ??= setTimeout(() => void this.#check(), PING_INTERVAL_MS).unref()
    try {
      const { stream } = await this.#client.exec({
        query: sql,
        // The response starts when the query has ended: an exception is then never in the middle of a response.
        clickhouse_settings: { ...settings, wait_end_of_query: 1 },
        abort_signal: ended,
        ...(queryId !== undefined && { query_id: queryId }),
        ...(contentType !== undefined && { http_headers: { 'Content-Type': contentType } }),
        ...(body && { values: Readable.from([body], { objectMode: false }) }),
      })
      return await readAll(stream, ended)
    } catch (error) {
      if (signal.aborted && queryId !== undefined) void this.#kill(queryId)
      throw ended.aborted ? ended.reason : error
    } finally {
      this.#waiting.delete(frozen)
      if (this.#waiting.size === 0) {
        clearTimeout(this.#watch)
        this.#watch = undefined
      }
    }
  }

  close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#watch)
    this.#watch = undefined
    clearTimeout(this.#probe)
    for (const waiting of this.#waiting) waiting.abort(new Error('The connection was closed'))
    return this.#client.close()
  }

  /** As far as it can be had: the time of the query ends it otherwise. */
  async #kill(queryId: string): Promise<void> {
    const query = `KILL QUERY WHERE query_id = '${queryId}' ASYNC`
    await this.#client.command({ query, abort_signal: AbortSignal.timeout(PING_TIMEOUT_MS) }).catch(() => undefined)
  }

  async #check(): Promise<void> {
    const waiting = [...this.#waiting]
    if (!(await this.#answers())) {
      this.avoid()
      for (const request of waiting) request.abort(new Error('The server does not answer'))
    }
    if (this.#watch !== undefined) this.#watch = setTimeout(() => void this.#check(), PING_INTERVAL_MS).unref()
  }

  async #reconsider(): Promise<void> {
    const answers = await this.#answers()
    this.#probe = undefined
    if (!answers) this.avoid()
  }

  async #answers(): Promise<boolean> {
    const signal = AbortSignal.timeout(PING_TIMEOUT_MS)
    return (await this.#client.ping({ abort_signal: signal, select: false })).success
  }
}

/** Ends with the signal, and rejects if the connection breaks before the end of the response. */
async function readAll(stream: Readable, signal: AbortSignal): Promise<string> {
  const end = () => void stream.destroy(signal.reason as Error)
  signal.addEventListener('abort', end, { once: true })
  try {
    signal.throwIfAborted()
    const chunks: Buffer[] = []
    for await (const chunk of stream) chunks.push(chunk as Buffer)
    return Buffer.concat(chunks).toString()
  } finally {
    signal.removeEventListener('abort', end)
  }
}
