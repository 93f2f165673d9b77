import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sampleDomain } from '../../test/harness/app/sample-domain.ts'
import { openTestStorage } from '../../test/harness/storage/sqlite-storage.ts'
import { EVENT_TYPES, type EventType } from '../events/event.ts'
import type { Storage } from '../storage/storage.ts'
import { createTenant } from '../tenants/create-tenant.ts'
import { getDomainStats } from './get-domain-stats.ts'

const NOW_MS = Date.UTC(2026, 0, 15, 12)
const clock = () => NOW_MS
const ZEROS = { bounce: 0, delivery: 0, reception: 0 }

async function addDomain(storage: Storage, tenantId: string, name: string): Promise<number> {
  const id = `01890000-0000-7000-8000-${Buffer.from(name).toString('hex').padStart(12, '0').slice(-12)}`
  const times = { createdAtMs: NOW_MS, updatedAtMs: NOW_MS }
  const domain = await storage.control.domains.create(sampleDomain(tenantId, name, { id, ...times }))
  return domain.number
}

async function append(
  storage: Storage,
  domainNumber: number,
  name: string,
  types: readonly EventType[],
): Promise<void> {
  await storage.log.append(
    types.map((type, index) => ({
      domainNumber,
      event: {
        id: `message-${index}`,
        timestamp: NOW_MS / 1000 - 60 - index,
        type,
        domain_name: name,
        recipient: 'someone@example.net',
      },
    })),
  )
}

describe('domain statistics', () => {
  test('every domain of the tenant is listed by name, with zeros and no time if there are no events', async () => {
    await using storage = await openTestStorage(clock)
    const { id } = await createTenant({ keys: storage.control.keys, clock }, 'acme')
    const rival = await createTenant({ keys: storage.control.keys, clock }, 'rival')
    await addDomain(storage, id, 'b.test')
    await addDomain(storage, id, 'a.test')
    await addDomain(storage, rival.id, 'c.test')
    assert.deepEqual(await getDomainStats({ counts: storage.log, domains: storage.control.domains }, id), [
      { name: 'a.test', counts: ZEROS },
      { name: 'b.test', counts: ZEROS },
    ])
    assert.deepEqual(await getDomainStats({ counts: storage.log, domains: storage.control.domains }, 'nobody'), [])
  })

  test('bounces, deliveries and receptions are counted per domain as soon as they are stored, nothing else is', async () => {
    await using storage = await openTestStorage(clock)
    const { id } = await createTenant({ keys: storage.control.keys, clock }, 'acme')
    const busy = await addDomain(storage, id, 'busy.test')
    const quiet = await addDomain(storage, id, 'quiet.test')
    await append(storage, busy, 'busy.test', [...EVENT_TYPES, 'Delivery', 'Delivery', 'Bounce'])
    await append(storage, quiet, 'quiet.test', ['OOBBounce', 'Opened', 'Feedback'])
    assert.deepEqual(await getDomainStats({ counts: storage.log, domains: storage.control.domains }, id), [
      { name: 'busy.test', counts: { bounce: 2, delivery: 3, reception: 1 }, changedAtMs: NOW_MS },
      { name: 'quiet.test', counts: ZEROS },
    ])
  })
})
