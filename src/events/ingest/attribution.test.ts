import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { sampleDomain } from '../../../test/harness/app/sample-domain.ts'
import { type ControlStores, openControlStores } from '../../../test/harness/storage/control-stores.ts'
import { Attribution } from './attribution.ts'

const NOW_MS = Date.UTC(2026, 0, 15, 12)
const DAY_MS = 86_400_000
const TENANT = { id: '01890000-0000-7000-8000-000000000001', clientId: 'c', name: 'acme', createdAtMs: 0 }

let stores: ControlStores
beforeEach(async () => {
  stores = openControlStores()
  await stores.keys.createTenant(TENANT)
  for (const name of ['acme.test', 'news.acme.test']) await stores.domains.create(sampleDomain(TENANT.id, name))
})
afterEach(() => stores.close())

function attribution(tenantId?: string): Attribution {
  const deps = { domains: stores.domains, clock: () => NOW_MS, retentionMs: 10 * DAY_MS }
  return new Attribution({ ...deps, serviceMessageIdField: 'service_message_id' }, tenantId)
}

function event(domain_name: string, timeMs = NOW_MS) {
  return { id: 'm', timestamp: timeMs / 1000, type: 'Delivery', domain_name, recipient: 'a@b.test' }
}

test('a name that cannot be a domain is unknown, like one that does not exist', async () => {
  for (const name of ['nowhere.test', 'a b', '..', '-', 'é', `${'a'.repeat(64)}.test`]) {
    await assert.rejects(async () => attribution().attribute({ event: event(name) }), { code: 'invalid_payload' }, name)
  }
  assert.equal((await attribution().attribute({ event: event('acme.test') }))?.tenantId, TENANT.id)
})

test('events are accepted from the beginning of the retention period to a day ahead', async () => {
  const isAccepted = async (timeMs: number) => {
    const accepting = (async () => attribution().attribute({ event: event('acme.test', timeMs) }))()
    return accepting.then(
      () => true,
      () => false,
    )
  }
  assert.deepEqual(
    await Promise.all(
      [-10 * DAY_MS - 1000, -10 * DAY_MS, 0, DAY_MS, DAY_MS + 1000].map((offset) => isAccepted(NOW_MS + offset)),
    ),
    [false, true, true, true, false],
  )
})

test('mail of a subdomain belongs to the longest known part of the first name that has one', async () => {
  const domainOf = async (...senderDomains: string[]) => {
    const found = await attribution().attribute({ event: event(''), senderDomains, ifUnknown: 'skip' })
    return found?.event.domain_name
  }
  assert.equal(await domainOf('bounces.news.acme.test'), 'news.acme.test')
  assert.equal(await domainOf('bounces.acme.test'), 'acme.test')
  assert.equal(await domainOf('stranger.test', 'acme.test'), 'acme.test')
  assert.equal(await domainOf('test', 'stranger.test'), undefined)
})

test('for another tenant the domain is unknown, also if it was found before for its owner', async () => {
  await attribution(TENANT.id).attribute({ event: event('acme.test') })
  await assert.rejects(async () => attribution('another').attribute({ event: event('acme.test') }), {
    code: 'invalid_payload',
  })
})
