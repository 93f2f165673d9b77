/** One ClickHouse server by its address: requests by HTTP, and whether it answers. */
import { randomUUID } from 'node:crypto'
import { HttpConnections } from './http-connections.ts'

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
  readonly #connections: HttpConnections
  readonly #waiting = new Set<AbortController>()
  #watch: NodeJS.Timeout | undefined
  #probe: NodeJS.Timeout | undefined
  #isClosed = false
  #failures = 0

  constructor({ url, user, password, connections }: AddressOptions) {
    const { username, password: secret } = new URL(url)
    this.#connections = new HttpConnections({
      url: new URL(url),
      user: decodeURIComponent(username) || user,
      password: decodeURIComponent(secret) || password,
      connections,
    })
  }

  get isAvoided(): boolean {
    return this.#probe !== undefined
  }

  /** So far. After a failure the address may lead to another server. */
  get failures(): number {
    return this.#failures
  }

  avoid(): void {
    this.#failures += 1
    if (!this.#isClosed) this.#probe ??= setTimeout(() => void this.#reconsider(), AVOIDED_MS).unref()
  }

  /** The whole response. Rejects with what the server or the signal gave as the reason, or with an error of the network. */
  async request({ sql, settings, body, contentType, signal, mustBeKilled = false }: ServerRequest): Promise<string> {
    signal.throwIfAborted()
    const queryId = mustBeKilled ? randomUUID() : undefined
    const frozen = new AbortController()
    const ended = AbortSignal.any([signal, frozen.signal])
    this.#waiting.add(frozen)
    this.#watch ??= setTimeout(() => void this.#check(), PING_INTERVAL_MS).unref()
    try {
      const response = await this.#connections.post({
        parameters: {
          ...settings,
          // The response starts when the query has ended: an exception is then never in the middle of a response.
          wait_end_of_query: 1,
          ...(queryId !== undefined && { query_id: queryId }),
          ...(body && { query: sql }),
        },
        body: body ?? sql,
        contentType,
        signal: ended,
      })
      // All our formats end rows with a line feed: a proxy may have lost the rest.
      if (response !== '' && !response.endsWith('\n')) throw new Error('The response is incomplete')
      return response
    } catch (error) {
      if (signal.aborted && queryId !== undefined) void this.#kill(queryId)
      throw error
    } finally {
      this.#waiting.delete(frozen)
      if (this.#waiting.size === 0) {
        clearTimeout(this.#watch)
        this.#watch = undefined
      }
    }
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#watch)
    this.#watch = undefined
    clearTimeout(this.#probe)
    for (const waiting of this.#waiting) waiting.abort(new Error('The connection was closed'))
    this.#connections.close()
  }

  /** As far as it can be had: the time of the query ends it otherwise. */
  async #kill(queryId: string): Promise<void> {
    const body = `KILL QUERY WHERE query_id = '${queryId}' ASYNC`
    const signal = AbortSignal.timeout(PING_TIMEOUT_MS)
    await this.#connections.post({ parameters: {}, body, signal }).catch(() => undefined)
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
    return this.#connections.ping(signal).then(
      () => true,
      () => false,
    )
  }
}
