/** Fills an empty installation with one company: a tenant, its keys and domains, and fifteen days of mail. */
import { addDomain } from '../domains/add-domain.ts'
import type { TxtResolver } from '../domains/dns-resolver.ts'
import type { Domain } from '../domains/domain.ts'
import { verifyDomain } from '../domains/verify-domain.ts'
import type { EmailEvent } from '../events/event.ts'
import type { AttributedEvent } from '../events/event-store.ts'
import type { Service } from '../open-service.ts'
import { createKey } from '../tenants/create-key.ts'
import { createTenant } from '../tenants/create-tenant.ts'
import { generateMessages } from './generate-events.ts'
import { DEMO_PROFILES } from './sender-profile.ts'

const TENANT = 'Acme'
const DAYS = 15
const MESSAGES = 14_000
const BATCH_EVENTS = 5000

/** What became of each domain: one that is not set up completely, one that waits, the others as they should be. */
const UNSIGNED_DOMAIN = 'billing.acme.example'
const INACTIVE_DOMAIN = 'labs.acme.example'

export interface SeededDemo {
  readonly tenantKey: string
  readonly ingestKey: string
  readonly domains: readonly Domain[]
  readonly storedEvents: number
  /** What happens to the last messages after now: the live trickle goes on with it. */
  readonly upcoming: readonly EmailEvent[]
}

export async function seedDemo(service: Service): Promise<SeededDemo> {
  const { storage, clock } = service
  const deps = { keys: storage.keys, clock }
  await createTenant(deps, TENANT)
  const { key: tenantKey } = await createKey(deps, { tenantName: TENANT })
  const { key: ingestKey } = await createKey(deps, { operator: true }, ['ingest'])
  const domains = await Promise.all(DEMO_PROFILES.map(({ domainName }) => addDemoDomain(service, domainName)))
  return { tenantKey, ingestKey, domains, ...(await storeHistory(service, domains)) }
}

async function addDemoDomain(service: Service, name: string): Promise<Domain> {
  const { storage, clock, dkimSealer, config } = service
  const domain = await addDomain(
    { domains: storage.domains, keys: storage.keys, sealer: dkimSealer, clock, spfInclude: config.spfInclude },
    { name, tenantName: TENANT, isActive: name !== INACTIVE_DOMAIN },
  )
  const resolver = publish(domain, config.spfInclude)
  await verifyDomain({ domains: storage.domains, resolver, clock, deadlineMs: 1000 }, { domainId: domain.id })
  return domain
}

/** Made-up DNS in which the domain's records are published, but for the DKIM key of the domain that forgot it. */
function publish(domain: Domain, spfInclude: string): TxtResolver {
  const zone = Map.groupBy(domain.dnsRecords, ({ name }) => name)
  return {
    async resolveTxt(name) {
      if (name === spfInclude) return { kind: 'records', values: ['v=spf1 ip4:192.0.2.0/24 ip4:198.51.100.0/24 -all'] }
      const published =
        zone.get(name)?.filter(({ purpose }) => purpose !== 'DKIM' || domain.name !== UNSIGNED_DOMAIN) ?? []
      if (published.length === 0) return { kind: 'no_such_name' }
      return { kind: 'records', values: published.map(({ value }) => value) }
    },
  }
}

async function storeHistory(
  { storage, clock }: Service,
  domains: readonly Domain[],
): Promise<Pick<SeededDemo, 'storedEvents' | 'upcoming'>> {
  const now = Math.floor(clock() / 1000)
  const history = generateMessages({
    seed: now,
    profiles: DEMO_PROFILES,
    messages: MESSAGES,
    startTimestamp: now - DAYS * 86_400,
    endTimestamp: now,
  })
  const upcoming: EmailEvent[] = []
  let storedEvents = 0
  let batch: EmailEvent[] = []
  const flush = async () => {
    storedEvents += (await storage.events.append(attribute(batch, domains))).stored
    batch = []
  }
  for (const events of history) {
    for (const event of events) (event.timestamp > now ? upcoming : batch).push(event)
    if (batch.length >= BATCH_EVENTS) await flush()
  }
  await flush()
  return { storedEvents, upcoming }
}

export function attribute(events: readonly EmailEvent[], domains: readonly Domain[]): readonly AttributedEvent[] {
  const numbers = new Map(domains.map(({ name, number }) => [name, number]))
  return events.map((event) => {
    const domainNumber = numbers.get(event.domain_name)
    if (domainNumber === undefined) throw new Error(`no demo domain is named ${event.domain_name}`)
    return { domainNumber, event }
  })
}
