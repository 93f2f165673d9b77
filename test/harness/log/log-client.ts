/** A server's ingest, log and statistics as an HTTP client sees them. */
import assert from 'node:assert/strict'
import type { EmailEvent } from '../../../src/events/event.ts'
import type { IngestResult } from '../../../src/events/ingest/ingest-events.ts'

export interface LogPage {
  readonly events: readonly EmailEvent[]
  readonly count: number
  readonly filters_applied: Readonly<Record<string, string>>
  readonly next_token?: string
}

export interface Counts {
  readonly bounce: number
  readonly delivery: number
  readonly reception: number
}

export interface LogClientOptions {
  readonly tenantKey: string
  readonly ingestKey: string
}

const PAGES_MAX = 10_000

export class LogClient {
  readonly #address: string
  readonly #keys: LogClientOptions

  constructor(address: string, keys: LogClientOptions) {
    this.#address = address
    this.#keys = keys
  }

  /** Posts any body to ingest, and returns any answer. Rejects if the connection is lost before the answer. */
  post(body: string | Uint8Array<ArrayBuffer>, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    const authorization = this.#keys.ingestKey
    return fetch(`${this.#address}/ingest/events`, { method: 'POST', body, headers: { authorization, ...headers } })
  }

  async ingest(events: readonly EmailEvent[]): Promise<IngestResult> {
    const answer = await this.post(JSON.stringify(events))
    const text = await answer.text()
    assert.equal(answer.status, 200, text)
    return JSON.parse(text) as IngestResult
  }

  get(path: string): Promise<Response> {
    return fetch(`${this.#address}${path}`, { headers: { authorization: this.#keys.tenantKey } })
  }

  async list(domain: string, parameters: Readonly<Record<string, string>> = {}): Promise<LogPage> {
    const query = new URLSearchParams(parameters).toString()
    const answer = await this.get(`/webhooks/${domain}?${query}`)
    const text = await answer.text()
    assert.equal(answer.status, 200, text)
    return JSON.parse(text) as LogPage
  }

  /** Every event of the domain that is in the window, following the tokens to the end. */
  async listAll(domain: string, parameters: Readonly<Record<string, string>> = {}): Promise<readonly EmailEvent[]> {
    const events: EmailEvent[] = []
    const { limit = '1000', ...window } = parameters
    let page = await this.list(domain, { limit, ...window })
    for (let pages = 1; ; pages++) {
      assert.equal(page.count, page.events.length)
      events.push(...page.events)
      if (page.next_token === undefined) return events
      assert(pages < PAGES_MAX, 'following the tokens comes to an end')
      page = await this.list(domain, { limit, next_token: page.next_token })
    }
  }

  async stats(): Promise<Readonly<Record<string, Counts>>> {
    const answer = await this.get('/domain/stats')
    assert.equal(answer.status, 200)
    const { domains } = (await answer.json()) as { domains: Record<string, { counts: Counts }> }
    return Object.fromEntries(Object.entries(domains).map(([name, { counts }]) => [name, counts]))
  }
}

/** The statistics expected for these events. */
export function countEvents(events: readonly EmailEvent[]): Counts {
  const count = (type: string) => events.filter((event) => event.type === type).length
  return { bounce: count('Bounce'), delivery: count('Delivery'), reception: count('Reception') }
}
