/** All tenants of an installation as one log: each domain is read with its own tenant's key. */
import assert from 'node:assert/strict'
import type { EmailEvent } from '../../../src/events/event.ts'
import type { IngestResult } from '../../../src/events/ingest/ingest-events.ts'
import type { Message } from '../../../src/http/v1/log/messages.wire.ts'
import type { Series } from '../../../src/http/v1/statistics/series.wire.ts'
import { type Counts, LogClient } from '../../harness/log/log-client.ts'
import { type Keys, TENANTS, type Tenant } from './engine.ts'

export class LabClient {
  readonly #address: string
  readonly #tenants: readonly Tenant[]
  readonly #clients: ReadonlyMap<string, LogClient>

  constructor(address: string, { ingest, tenants: keys }: Keys, tenants: readonly Tenant[] = TENANTS) {
    this.#address = address
    this.#tenants = tenants
    this.#clients = new Map(
      [...keys].map(([name, tenantKey]) => [name, new LogClient(address, { tenantKey, ingestKey: ingest })]),
    )
  }

  post(events: readonly EmailEvent[]): Promise<Response> {
    return this.#first.post(JSON.stringify(events))
  }

  ingest(events: readonly EmailEvent[]): Promise<IngestResult> {
    return this.#first.ingest(events)
  }

  listAll(domain: string, parameters: Readonly<Record<string, string>> = {}): Promise<readonly EmailEvent[]> {
    return this.#of(domain).listAll(domain, parameters)
  }

  /** Of all tenants together; none sees a domain of another. */
  async stats(): Promise<Readonly<Record<string, Counts>>> {
    const all = await Promise.all(
      this.#tenants.map(async ({ name, domains }) => {
        const stats = await this.#clients.get(name)?.stats()
        assert.deepEqual(Object.keys(stats ?? {}).toSorted(), domains.toSorted(), `the domains of ${name}`)
        return stats
      }),
    )
    return Object.assign({}, ...all)
  }

  async message(domain: string, id: string): Promise<Message> {
    const answer = await this.#of(domain).get(`/v1/messages/${id}?domain=${domain}`)
    const text = await answer.text()
    assert.equal(answer.status, 200, text)
    return JSON.parse(text) as Message
  }

  /** Counts of the domain by hour and type. */
  async series(domain: string, fromSeconds: number, toSeconds: number): Promise<Series> {
    const window = { from: new Date(fromSeconds * 1000).toISOString(), to: new Date(toSeconds * 1000).toISOString() }
    const query = new URLSearchParams({ ...window, domain, bucket: 'hour', group: 'type', limit: '20' }).toString()
    const answer = await this.#of(domain).get(`/v1/stats/series?${query}`)
    const text = await answer.text()
    assert.equal(answer.status, 200, text)
    return JSON.parse(text) as Series
  }

  async statusOf(path: string): Promise<number> {
    const answer = await fetch(`${this.#address}${path}`)
    await answer.text()
    return answer.status
  }

  get #first(): LogClient {
    const [client] = this.#clients.values()
    assert(client)
    return client
  }

  #of(domain: string): LogClient {
    const tenant = this.#tenants.find(({ domains }) => domains.includes(domain))
    const client = this.#clients.get(tenant?.name ?? '')
    assert(client, `no tenant of ${domain}`)
    return client
  }
}
