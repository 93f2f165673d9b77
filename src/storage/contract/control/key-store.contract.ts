/** The contract of every KeyStore. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { AppError } from '../../../lib/app-error.ts'
import type { KeyStore, NewApiKey } from '../../../tenants/key-store.ts'
import type { Tenant } from '../../../tenants/tenant.ts'

const ACME: Tenant = {
  id: '01890000-0000-7000-8000-000000000001',
  clientId: 'client_acme',
  name: 'Acme & Söhne 🚀',
  createdAtMs: 1_700_000_000_000,
}
const OTHER: Tenant = { ...ACME, id: '01890000-0000-7000-8000-000000000002', clientId: 'client_other', name: 'other' }

const TENANT_KEY: NewApiKey = {
  id: 'aaaaaaaaaaaa',
  secretHash: Uint8Array.from({ length: 32 }, (_, index) => index * 8),
  tenantId: ACME.id,
  scopes: ['logs', 'domainStats'],
  createdAtMs: 1_700_000_000_001,
}
const OPERATOR_KEY: NewApiKey = {
  id: 'AAAAAAAAAAAA',
  secretHash: new Uint8Array(32).fill(255),
  scopes: ['ingest', 'admin'],
  createdAtMs: 1_700_000_000_000,
}

export function keyStoreContract(
  open: () => Promise<{ readonly store: KeyStore; readonly close: () => Promise<void> }>,
): void {
  let store: KeyStore
  let close: () => Promise<void>

  beforeEach(async () => {
    ;({ store, close } = await open())
  })
  afterEach(() => close())

  test('a tenant is found by its exact name only', async () => {
    await store.createTenant(ACME)
    assert.deepEqual(await store.findTenantByName(ACME.name), ACME)
    for (const name of ['', 'acme', ACME.name.toUpperCase(), `${ACME.name} `, '%', "' OR 1=1 --"]) {
      assert.equal(await store.findTenantByName(name), undefined, name)
    }
  })

  test('a tenant name that exists already is a conflict, and the existing tenant is unchanged', async () => {
    await store.createTenant(ACME)
    await assert.rejects(
      store.createTenant({ ...OTHER, name: ACME.name }),
      (error: unknown) => error instanceof AppError && error.code === 'conflict',
    )
    assert.deepEqual(await store.listTenants(), [ACME])
  })

  test('tenants are listed by name', async () => {
    assert.deepEqual(await store.listTenants(), [])
    await store.createTenant(OTHER)
    await store.createTenant(ACME)
    assert.deepEqual(await store.listTenants(), [ACME, OTHER])
    // By their bytes, not by those of UTF-16.
    for (const name of ['😀', '～']) await store.createTenant({ ...ACME, id: `id of ${name}`, clientId: name, name })
    assert.deepEqual(
      (await store.listTenants()).map(({ name }) => name),
      [ACME.name, OTHER.name, '～', '😀'],
    )
  })

  test('a key is found with its tenant, hash and scopes; ids differ by letter case', async () => {
    await store.createTenant(ACME)
    await store.createKey(TENANT_KEY)
    await store.createKey(OPERATOR_KEY)
    const { tenantId: _, ...tenantKey } = TENANT_KEY
    assert.deepEqual(await store.findKey(TENANT_KEY.id), { ...tenantKey, tenant: ACME })
    assert.deepEqual(await store.findKey(OPERATOR_KEY.id), OPERATOR_KEY)
    assert.equal(await store.findKey('bbbbbbbbbbbb'), undefined)
  })

  test('a key of a tenant that does not exist is not stored', async () => {
    await assert.rejects(store.createKey(TENANT_KEY))
    assert.deepEqual(await store.listKeys(), [])
  })

  test('a tenant is suspended and resumed, with all of its keys; what is not named stays', async () => {
    await store.createTenant({ ...ACME, quotas: { keys: 5 } })
    await store.createTenant(OTHER)
    await store.createKey(TENANT_KEY)
    assert.equal((await store.findKey(TENANT_KEY.id))?.tenant?.suspendedAtMs, undefined)
    assert.equal(await store.changeTenant(ACME.id, { suspendedAtMs: 7, retentionDays: 30, expiredToMs: 5 }), true)
    const changed = { ...ACME, quotas: { keys: 5 }, suspendedAtMs: 7, retentionDays: 30, expiredToMs: 5 }
    assert.deepEqual(await store.findTenant(ACME.id), changed)
    assert.deepEqual((await store.findKey(TENANT_KEY.id))?.tenant, { ...ACME, suspendedAtMs: 7 })
    await store.changeTenant(ACME.id, { suspendedAtMs: null })
    const { suspendedAtMs: _, ...resumed } = changed
    assert.deepEqual(await store.findTenant(ACME.id), resumed)
    assert.deepEqual((await store.findKey(TENANT_KEY.id))?.tenant, ACME)
    await store.changeTenant(ACME.id, { retentionDays: null, expiredToMs: null })
    assert.deepEqual(await store.listTenants(), [{ ...ACME, quotas: { keys: 5 } }, OTHER])
    assert.equal(await store.changeTenant('nobody', { suspendedAtMs: 7 }), false)
  })

  test('no two keys have the same id', async () => {
    await store.createKey(OPERATOR_KEY)
    await assert.rejects(store.createKey({ ...OPERATOR_KEY, secretHash: new Uint8Array(32) }))
    assert.deepEqual(await store.listKeys(), [OPERATOR_KEY])
  })

  test('keys are listed oldest first, those of one moment by their ids', async () => {
    await store.createTenant(ACME)
    await store.createKey(TENANT_KEY)
    await store.createKey(OPERATOR_KEY)
    const keys = await store.listKeys()
    assert.deepEqual(
      keys.map(({ id }) => id),
      [OPERATOR_KEY.id, TENANT_KEY.id],
    )
    assert.deepEqual(keys[1]?.tenant, ACME)
    for (const index of [2, 3, 1]) await store.createKey(keyOf(index, { createdAtMs: TENANT_KEY.createdAtMs + 1 }))
    const others = (await store.listKeys()).slice(2)
    assert.deepEqual(
      others.map(({ id }) => id),
      [1, 2, 3].map((index) => keyOf(index).id),
    )
  })

  test('a revoked key is revoked for the next read, and the time of the first revocation stays', async () => {
    await store.createKey(OPERATOR_KEY)
    assert.equal((await store.findKey(OPERATOR_KEY.id))?.revokedAtMs, undefined)
    assert.equal(await store.revokeKey(OPERATOR_KEY.id, 5000), true)
    assert.equal((await store.findKey(OPERATOR_KEY.id))?.revokedAtMs, 5000)
    assert.equal(await store.revokeKey(OPERATOR_KEY.id, 6000), true)
    assert.equal((await store.findKey(OPERATOR_KEY.id))?.revokedAtMs, 5000)
    assert.equal((await store.listKeys())[0]?.revokedAtMs, 5000)
  })

  test('revoking an unknown key returns false', async () => {
    assert.equal(await store.revokeKey('bbbbbbbbbbbb', 5000), false)
  })

  test('the latest use of each key is stored, in whatever order uses are written; unknown keys are ignored', async () => {
    await store.createTenant(ACME)
    await store.createKey(TENANT_KEY)
    await store.createKey(OPERATOR_KEY)
    const lastUse = async (id: string) => (await store.findKey(id))?.lastUsedAtMs
    assert.equal(await lastUse(TENANT_KEY.id), undefined)
    await store.recordKeyUse(
      new Map([
        [TENANT_KEY.id, 9000],
        ['bbbbbbbbbbbb', 1],
      ]),
    )
    await store.recordKeyUse(
      new Map([
        [TENANT_KEY.id, 8000],
        [OPERATOR_KEY.id, 7000],
      ]),
    )
    await store.recordKeyUse(new Map())
    assert.deepEqual([(await store.listKeys()).length, await store.findKey('bbbbbbbbbbbb')], [2, undefined])
    assert.equal(await lastUse(TENANT_KEY.id), 9000)
    assert.equal(await lastUse(OPERATOR_KEY.id), 7000)
    const day = 86_400_000
    for (const [timeMs, expected] of [
      [100 * day, 100 * day],
      [99 * day, 100 * day],
      [98 * day, 98 * day],
    ] as const) {
      await store.recordKeyUse(new Map([[TENANT_KEY.id, timeMs]]))
      assert.equal(await lastUse(TENANT_KEY.id), expected, 'a time that is days ahead was recorded by a wrong clock')
    }
  })

  const LIMITS = { name: 'mailer 1 “grün”', expiresAtMs: 9000, networks: ['10.0.0.0/8', '2001:db8::/32'] }
  const isOverQuota = (error: unknown) => error instanceof AppError && error.code === 'quota_exceeded'
  const keyOf = (index: number, extra: Partial<NewApiKey> = {}): NewApiKey => {
    return { ...TENANT_KEY, id: String(index).padStart(12, 'k'), ...extra }
  }

  test('a key has the name, end and networks it was created with; a change replaces only what it names', async () => {
    await store.createKey({ ...OPERATOR_KEY, ...LIMITS })
    assert.deepEqual(await store.findKey(OPERATOR_KEY.id), { ...OPERATOR_KEY, ...LIMITS })
    assert.equal(await store.changeKey(OPERATOR_KEY.id, { name: 'other' }, 8999), true)
    assert.deepEqual(await store.findKey(OPERATOR_KEY.id), { ...OPERATOR_KEY, ...LIMITS, name: 'other' })
    assert.equal(await store.changeKey(OPERATOR_KEY.id, { expiresAtMs: null, networks: ['::1'] }, 8999), true)
    assert.deepEqual((await store.listKeys())[0], { ...OPERATOR_KEY, name: 'other', networks: ['::1'] })
    assert.equal(await store.changeKey(OPERATOR_KEY.id, { name: '', networks: [] }, 8999), true)
    assert.deepEqual(await store.findKey(OPERATOR_KEY.id), OPERATOR_KEY)
  })

  test('an unknown, revoked or expired key is not changed', async () => {
    await store.createKey({ ...OPERATOR_KEY, ...LIMITS })
    assert.equal(await store.changeKey('bbbbbbbbbbbb', { name: 'x' }, 1), false)
    assert.equal(await store.changeKey(OPERATOR_KEY.id, { expiresAtMs: null }, LIMITS.expiresAtMs), false)
    await store.revokeKey(OPERATOR_KEY.id, 5)
    assert.equal(await store.changeKey(OPERATOR_KEY.id, { expiresAtMs: null }, 1), false)
    assert.deepEqual(await store.findKey(OPERATOR_KEY.id), { ...OPERATOR_KEY, ...LIMITS, revokedAtMs: 5 })
  })

  test('quotas are set with the tenant or later, one by one, and removed by null', async () => {
    await store.createTenant({ ...ACME, quotas: { domains: 0 } })
    assert.deepEqual(await store.findTenant(ACME.id), { ...ACME, quotas: { domains: 0 } })
    assert.equal(await store.changeQuotas(ACME.id, { keys: 2, eventsPerDay: 1_000_000_000_000 }), true)
    const quotas = { domains: 0, keys: 2, eventsPerDay: 1_000_000_000_000 }
    assert.deepEqual(await store.findTenantByName(ACME.name), { ...ACME, quotas })
    assert.equal(await store.changeQuotas(ACME.id, { domains: null, keys: null, eventsPerDay: null }), true)
    assert.deepEqual(await store.listTenants(), [ACME])
    assert.equal(await store.changeQuotas(OTHER.id, { keys: 2 }), false)
    assert.equal(await store.findTenant(OTHER.id), undefined)
  })

  test('a tenant cannot have more valid keys than its quota, even if they are created at once', async () => {
    await store.createTenant({ ...ACME, quotas: { keys: 2 } })
    const creating = [1, 2, 3, 4, 5].map((index) => store.createKey(keyOf(index)))
    const outcomes = await Promise.allSettled(creating)
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 2)
    for (const outcome of outcomes) if (outcome.status === 'rejected') assert.ok(isOverQuota(outcome.reason))
    const [first] = await store.listKeys()
    await store.revokeKey(first?.id ?? '', 1)
    const expiresAtMs = TENANT_KEY.createdAtMs + 1000
    await store.createKey(keyOf(6, { expiresAtMs }))
    await assert.rejects(store.createKey(keyOf(7, { createdAtMs: expiresAtMs - 1 })), isOverQuota)
    await store.createKey(keyOf(8, { createdAtMs: expiresAtMs }))
    await store.createKey(OPERATOR_KEY)
  })

  test('the keys of each tenant are counted while they are valid', async () => {
    await store.createTenant(ACME)
    await store.createTenant(OTHER)
    assert.deepEqual(await store.countUse(0), new Map())
    await store.createKey(OPERATOR_KEY)
    for (const index of [1, 2]) await store.createKey(keyOf(index))
    await store.createKey(keyOf(3, { expiresAtMs: 9000 }))
    await store.createKey(keyOf(4, { tenantId: OTHER.id }))
    await store.revokeKey(keyOf(1).id, 1)
    const [acme, other] = [
      { domains: 0, keys: 2 },
      { domains: 0, keys: 1 },
    ]
    assert.deepEqual((await store.countUse(8999)).get(ACME.id), acme)
    assert.deepEqual((await store.countUse(9000)).get(ACME.id), { ...acme, keys: 1 })
    assert.deepEqual((await store.countUse(9000)).get(OTHER.id), other)
    assert.deepEqual(await store.countUseOf(ACME.id, 8999), acme)
    assert.deepEqual(await store.countUseOf(ACME.id, 9000), { ...acme, keys: 1 })
    assert.deepEqual(await store.countUseOf('nobody', 9000), { domains: 0, keys: 0 })
  })
}
