import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { sampleDomain } from '../../../test/harness/app/sample-domain.ts'
import { type ControlStores, openControlStores } from '../../../test/harness/storage/control-stores.ts'
import type { DomainStore } from '../../domains/domain-store.ts'
import type { EventExtension } from '../event.ts'
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

function attribution(tenantId?: string, domains: DomainStore = stores.domains, nowMs = NOW_MS): Attribution {
  const deps = { domains, clock: () => nowMs, retentionMs: 10 * DAY_MS }
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

/** The names that were looked up. */
function countingStore() {
  const lookups: string[] = []
  const domains = new Proxy(stores.domains, {
    get(store, name) {
      if (name === 'findByName')
        return (asked: string) => {
          lookups.push(asked)
          return store.findByName(asked)
        }
      return Reflect.get(store, name)
    },
  })
  return { lookups, domains }
}

test('a domain is looked up again after a second, whichever way the clock goes', async () => {
  const { lookups, domains } = countingStore()
  const look = async (nowMs: number) => {
    await attribution(undefined, domains, nowMs).attribute({ event: event('acme.test') })
    return lookups.length
  }
  const counts: number[] = []
  for (const offMs of [0, 999, -999, 1000, 1500, 0, 1]) counts.push(await look(NOW_MS + offMs))
  assert.deepEqual(counts, [1, 1, 1, 2, 2, 3, 3])
})

test('for a domain that is known already nobody waits', async () => {
  await attribution().attribute({ event: event('acme.test') })
  assert.ok(!(attribution().attribute({ event: event('acme.test') }) instanceof Promise))
})

test('of the events of one request, an unknown name and the names of a sender are looked up once', async () => {
  const { lookups, domains } = countingStore()
  const request = attribution(undefined, domains)
  const senderDomains = ['a.stranger.test', 'news.acme.test']
  for (let times = 0; times < 2; times++) {
    await assert.rejects(
      async () => request.attribute({ event: event('nowhere.test') }),
      /"nowhere.test" is not a known/,
    )
    const found = await request.attribute({ event: event(''), senderDomains })
    assert.equal(found?.event.domain_name, 'news.acme.test')
  }
  assert.deepEqual(lookups, ['nowhere.test', 'a.stranger.test', 'stranger.test', 'news.acme.test'])
})

test('mail of senders that are unknown is refused with the first name, unless it is to be skipped', async () => {
  const senderDomains = ['one.test', 'two.test']
  await assert.rejects(
    async () => attribution().attribute({ event: event(''), senderDomains }),
    /^AppError: domain_name: "one.test" is not a known domain$/,
  )
  assert.equal(await attribution().attribute({ event: event(''), senderDomains, ifUnknown: 'skip' }), undefined)
})

test('with an event goes what else was reported, and whether its domain is deactivated', async () => {
  const found = async (extension?: EventExtension) =>
    attribution().attribute({ event: event('acme.test'), ...(extension && { extension }) })
  const { number } = (await stores.domains.findByName('acme.test')) ?? {}
  const owned = { domainNumber: number, event: event('acme.test'), tenantId: TENANT.id }
  assert.deepEqual(await found(), owned)
  assert.deepEqual(await found({ sending_pool: 'bulk' }), { ...owned, extension: { sending_pool: 'bulk' } })
  assert.deepEqual(await found({ sending_pool: '' }), owned)
  const domains = new Proxy(stores.domains, {
    get(store, property) {
      if (property !== 'findByName') return Reflect.get(store, property)
      return async (name: string) => {
        const domain = await store.findByName(name)
        return domain && { ...domain, deactivatedAtMs: 1 }
      }
    },
  })
  const deactivated = await attribution(undefined, domains).attribute({ event: event('acme.test') })
  assert.deepEqual(deactivated, { ...owned, isDeactivated: true })
})
