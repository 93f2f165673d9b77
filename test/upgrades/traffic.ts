/** The content of a data folder to upgrade: tenants, domains, a removed day, and events that use every column. */
import { type EmailEvent, EVENT_TYPES } from '../../src/events/event.ts'
import type { AttributedEvent } from '../../src/events/log/event-log.ts'
import type { LogDomain } from '../../src/events/log/log-query.ts'
import type { Storage } from '../../src/storage/storage.ts'

/** 2026-03-01T00:00:00Z, which retention has removed. */
export const FIRST = 1_772_323_200
export const DAY = 86_400
/** The last one is written to when the process dies. */
export const DAYS = 5

export const DOMAINS: readonly LogDomain[] = ['acme.test', 'post.acme.test', 'other.test'].map((name, index) => ({
  number: index + 1,
  name,
}))

/** Texts that an index, a filter or an escape could get wrong. */
const SUBJECTS = ['Your receipt', 'Ihre Bestellung über 30 €', 'a "quoted" \\ line\nand another', '100%_off', '']

export async function createDomains({ control }: Pick<Storage, 'control'>): Promise<void> {
  for (const [index, name] of ['Acme', 'Other'].entries()) {
    await control.keys.createTenant({ id: `tenant-${index}`, clientId: `client_${index}`, name, createdAtMs: 1 })
  }
  await control.keys.createKey({
    id: 'key-0',
    secretHash: new Uint8Array(32).fill(7),
    tenantId: 'tenant-0',
    scopes: ['logs'],
    createdAtMs: 2,
  })
  for (const { number, name } of DOMAINS) {
    await control.domains.create({
      id: `00000000-0000-7000-8000-00000000000${number}`,
      tenantId: name === 'other.test' ? 'tenant-1' : 'tenant-0',
      name,
      description: '',
      sendingEmail: '',
      isActive: true,
      isApproved: true,
      isVerified: number === 1,
      dnsRecords: [],
      dkimKeys: [],
      lastVerificationErrors: [],
      createdAtMs: 3,
      updatedAtMs: 3,
    })
  }
  const source = { kind: 'key', name: 'key-0' } as const
  await control.quarantine.add(
    [{ payload: Buffer.from('{"id":"broken'), connector: 'native', source, reason: 'not JSON' }],
    FIRST * 1000,
  )
}

/** The events of one day; `part` 0 or 1. */
export function eventsOf(day: number, part = 0): readonly AttributedEvent[] {
  return DOMAINS.flatMap(({ number, name }) =>
    Array.from({ length: 12 }, (_, index) => ({ domainNumber: number, event: eventOf(day, part, name, index) })),
  )
}

function eventOf(day: number, part: number, name: string, index: number): EmailEvent {
  const type = EVENT_TYPES[(index + day) % EVENT_TYPES.length] ?? 'Delivery'
  const isFailed = type === 'Bounce' || type === 'TransientFailure'
  return {
    // Three events of each message.
    id: `message-${day}-${part}-${Math.floor(index / 3)}`,
    timestamp: FIRST + day * DAY + part * 40_000 + index * 3000,
    type,
    domain_name: name,
    recipient: `anna${Math.floor(index / 3)}@example.${day % 2 === 0 ? 'org' : 'net'}`,
    sender: `bounces+${day}@${name}`,
    from: `Grüße <hello@${name}>`,
    subject: SUBJECTS[Math.floor(index / 3) % SUBJECTS.length] ?? '',
    response_code: isFailed ? 550 : 250,
    response_content: `${isFailed ? 'no such user' : 'queued'} as "${day}-${index}"`,
    provider_name: index % 2 === 0 ? 'Google' : 'Outlook',
    peer_name: 'mx.example.org',
    ...(isFailed && { bounce_classification: 'InvalidRecipient' }),
    num_attempts: index,
    ...(index % 4 !== 0 && { size: 1000 + index }),
    service_message_id: `service-${index}`,
    campaign: index % 3 === 0 ? null : 'spring',
    tls_protocol_version: 'TLSv1.3',
  }
}
