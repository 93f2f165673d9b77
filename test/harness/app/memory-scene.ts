/** Tenants with domains on the in-memory engine: for tests of use cases, which need no files. */
import type { Domain } from '../../../src/domains/domain.ts'
import type { EmailEvent } from '../../../src/events/event.ts'
import { openMemoryStorage } from '../../../src/storage/memory/open-memory-storage.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { createTenant } from '../../../src/tenants/create-tenant.ts'
import type { Tenant } from '../../../src/tenants/tenant.ts'
import { sampleDomain } from './sample-domain.ts'

/** 2026-03-01T12:00:00Z, where the clock of each scene starts. */
export const NOON = 1_772_366_400
export const DAY = 86_400

export interface MemoryScene {
  readonly storage: Storage
  /** What most use cases ask for: the log, the control stores, the clock, a generous budget. */
  readonly deps: Pick<Storage, 'log'> & Storage['control'] & { readonly clock: () => number; readonly budgetMs: number }
  /** Has the domain a.test. */
  readonly acme: Tenant
  readonly domain: Domain
  readonly time: { nowMs: number }
  readonly addTenant: (name: string) => Promise<Tenant>
  readonly addDomain: (tenant: Tenant, name: string) => Promise<Domain>
  /** Into acme's domain, unless another is given. */
  readonly append: (events: readonly EmailEvent[], domain?: Domain) => Promise<void>
}

export async function openMemoryScene(): Promise<MemoryScene> {
  const time = { nowMs: NOON * 1000 }
  const clock = () => time.nowMs
  const storage = openMemoryStorage({ clock, serviceMessageIdField: 'service_message_id' })
  const addTenant = (name: string) => createTenant({ keys: storage.control.keys, clock }, name)
  const addDomain = (tenant: Tenant, name: string) => storage.control.domains.create(sampleDomain(tenant.id, name))
  const acme = await addTenant('acme')
  const domain = await addDomain(acme, 'a.test')
  return {
    storage,
    time,
    deps: { log: storage.log, ...storage.control, clock, budgetMs: 1000 },
    acme,
    domain,
    addTenant,
    addDomain,
    async append(events, { number } = domain) {
      await storage.log.append(events.map((event) => ({ domainNumber: number, event })))
    },
  }
}

/** A delivery at noon, with changes. */
export function delivery(changes: Partial<EmailEvent> = {}): EmailEvent {
  return { id: 'm1', timestamp: NOON, type: 'Delivery', domain_name: 'a.test', recipient: 'u@b.test', ...changes }
}

export async function collect<T>(pages: AsyncIterable<readonly T[]>): Promise<(readonly T[])[]> {
  const collected: (readonly T[])[] = []
  for await (const page of pages) collected.push(page)
  return collected
}
