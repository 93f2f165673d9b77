/** Fills an empty installation with a tenant, its keys and domains, and fifteen days of mail. */
import { native } from '../connectors/native/native.ts'
import type { Domain, RequiredDnsRecord } from '../domains/domain.ts'
import { addDomain } from '../domains/registration/add-domain.ts'
import { VerificationRunner } from '../domains/verification/verification-runner.ts'
import type { EmailEvent, EventType } from '../events/event.ts'
import { ingestRecords } from '../events/ingest/ingest-events.ts'
import { LOCAL } from '../events/ingest/quarantine-room.ts'
import { splitRecords } from '../events/ingest/split-records.ts'
import type { AttributedEvent } from '../events/log/event-log.ts'
import type { Service } from '../open-service.ts'
import { createKey } from '../tenants/create-key.ts'
import { createTenant } from '../tenants/create-tenant.ts'
import type { DemoZone } from './demo-dns.ts'
import { generateMessages } from './generate-events.ts'
import { originOf } from './origins.ts'
import { DEMO_PROFILES } from './sender-profile.ts'

const TENANT = 'Acme'
const DAYS = 15
const MESSAGES = 14_000
const BATCH_EVENTS = 5000

/** A domain whose DKIM record was truncated by a web form and that has two SPF records, and an inactive one; the others are correct. */
const TRUNCATED_DOMAIN = 'billing.acme.example'
const INACTIVE_DOMAIN = 'labs.acme.example'
/** The limit of a single string of a TXT record (RFC 1035 section 3.3.14). */
const FORM_LENGTH = 255

/** Others also send for the shop, so its SPF policy includes several. */
const SHOP_DOMAIN = 'shop.acme.example'
const HELPDESK_POLICY = '_spf.helpdesk.example'

export interface SeededDemo {
  readonly tenantKey: string
  readonly ingestKey: string
  /** For the operator's pages of the console. */
  readonly adminKey: string
  readonly domains: readonly Domain[]
  readonly storedEvents: number
  /** Events of the last messages that are still in the future; the live trickle continues with them. */
  readonly upcoming: readonly EmailEvent[]
}

/** The records of the domains are published in `zone`, and the domains are verified against it. */
export async function seedDemo(service: Service, zone: DemoZone): Promise<SeededDemo> {
  const { storage, clock, config } = service
  const deps = { keys: storage.control.keys, clock }
  await createTenant(deps, TENANT)
  const { key: tenantKey } = await createKey(deps, { tenantName: TENANT })
  const { key: ingestKey } = await createKey(deps, 'operator', ['ingest'])
  const { key: adminKey } = await createKey(deps, 'operator', ['admin'])
  zone.set(HELPDESK_POLICY, ['v=spf1 include:_blocks.helpdesk.example -all'])
  zone.set('_blocks.helpdesk.example', ['v=spf1 ip4:203.0.113.0/25 -all'])
  zone.set(config.spfInclude, ['v=spf1 ip4:192.0.2.0/24 ip4:198.51.100.0/24 -all'])
  const domains = await Promise.all(DEMO_PROFILES.map(({ domainName }) => addDemoDomain(service, domainName, zone)))
  await rejectSomeRecords(service)
  return { tenantKey, ingestKey, adminKey, domains, ...(await storeHistory(service, domains)) }
}

async function addDemoDomain(service: Service, name: string, zone: DemoZone): Promise<Domain> {
  const { storage, clock, dkimSealer, dns, config } = service
  const domain = await addDomain(
    {
      domains: storage.control.domains,
      keys: storage.control.keys,
      sealer: dkimSealer,
      clock,
      spfInclude: config.spfInclude,
    },
    { name, tenantName: TENANT, isActive: name !== INACTIVE_DOMAIN },
  )
  for (const record of domain.dnsRecords) zone.set(record.name, publishedValues(name, record))
  await new VerificationRunner({ domains: storage.control.domains, dns, clock }).verify({ domainId: domain.id })
  return domain
}

function publishedValues(domainName: string, { purpose, value }: RequiredDnsRecord): readonly string[] {
  if (domainName === TRUNCATED_DOMAIN && purpose === 'DKIM') return [value.slice(0, FORM_LENGTH)]
  if (domainName === TRUNCATED_DOMAIN && purpose === 'SPF') return [value, `v=spf1 include:${HELPDESK_POLICY} ~all`]
  if (domainName === SHOP_DOMAIN && purpose === 'SPF')
    return [value.replace('v=spf1', `v=spf1 include:${HELPDESK_POLICY}`)]
  return [value]
}

/** Quarantines two records: one of a domain that was not added, and one with an invalid time. */
async function rejectSomeRecords({ storage, clock, config, serviceMessageIdField }: Service): Promise<void> {
  const now = Math.floor(clock() / 1000)
  const record = { id: 'b6ad1d2e-7d6c-4c39-9f0b-3f0f5f0a7c11', type: 'Delivery', recipient: 'anna@example.org' }
  const records = [
    { ...record, timestamp: now, domain_name: 'outlet.acme.example' },
    { ...record, timestamp: now * 1000, domain_name: SHOP_DOMAIN },
  ]
  await ingestRecords(
    { log: storage.log, ...storage.control, clock, retentionMs: config.retentionMs, serviceMessageIdField },
    native,
    splitRecords(Buffer.from(JSON.stringify(records))),
    { source: LOCAL },
  )
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
    storedEvents += (await storage.log.append(attribute(batch, domains))).stored
    batch = []
  }
  for (const events of history) {
    for (const event of events) (event.timestamp > now ? upcoming : batch).push(event)
    if (batch.length >= BATCH_EVENTS) await flush()
  }
  await flush()
  return { storedEvents, upcoming }
}

/** The events that a sending address is known for. */
const ATTEMPTS: readonly EventType[] = ['Delivery', 'TransientFailure', 'Bounce']

export function attribute(
  events: readonly EmailEvent[],
  domains: readonly Pick<Domain, 'name' | 'number'>[],
): readonly AttributedEvent[] {
  const numbers = new Map(domains.map(({ name, number }) => [name, number]))
  return events.map((event) => {
    const domainNumber = numbers.get(event.domain_name)
    if (domainNumber === undefined) throw new Error(`unknown demo domain ${event.domain_name}`)
    return { domainNumber, event, ...(ATTEMPTS.includes(event.type) && { extension: originOf(event.id) }) }
  })
}
