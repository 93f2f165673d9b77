import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { type ControlStores, openControlStores } from '../../test/harness/storage/control-stores.ts'
import { AppError } from '../lib/app-error.ts'
import { mintApiKey } from './api-key.ts'
import { authenticate, authenticateById, requireScope } from './authenticate.ts'
import { createKey } from './create-key.ts'
import { createTenant } from './create-tenant.ts'
import { KeyUses } from './key-uses.ts'

const NOW_MS = 1_700_000_000_000
const clock = () => NOW_MS

const refusedFor = (scope: string) => (error: unknown) =>
  error instanceof AppError && error.code === 'missing_scope' && error.message.includes(scope)

describe('authentication', () => {
  let stores: ControlStores
  let uses: KeyUses

  beforeEach(() => {
    stores = openControlStores()
    uses = new KeyUses(stores.keys)
  })
  afterEach(() => stores.close())

  const ask = (authorization: string | undefined) =>
    authenticate({ keys: stores.keys, uses, clock }, authorization, '192.0.2.1')
  const refusal = async (authorization: string | undefined): Promise<string> => {
    try {
      await ask(authorization)
    } catch (error) {
      assert.ok(error instanceof AppError)
      assert.equal(error.code, 'unauthenticated')
      return error.message
    }
    return assert.fail('was let in')
  }
  const tenantKey = async (scopes?: string[]) => {
    const tenant = await createTenant({ keys: stores.keys, clock }, 'acme')
    return { tenant, ...(await createKey({ keys: stores.keys, clock }, { tenantName: 'acme' }, scopes)) }
  }

  test('a tenant key identifies its tenant, client id and scopes', async () => {
    const { id, key, tenant } = await tenantKey(['logs', 'domainStats'])
    assert.deepEqual(await ask(key), {
      kind: 'tenant',
      keyId: id,
      tenantId: tenant.id,
      clientId: tenant.clientId,
      tenantName: tenant.name,
      scopes: ['logs', 'domainStats'],
    })
  })

  test('an operator key has no tenant', async () => {
    const { id, key } = await createKey({ keys: stores.keys, clock }, 'operator', ['ingest'])
    assert.deepEqual(await ask(key), { kind: 'operator', keyId: id, scopes: ['ingest'] })
  })

  test('a valid key of a suspended tenant is told so, a wrong one is not; after the suspension it is valid again', async () => {
    const { key, tenant, id } = await tenantKey()
    await stores.keys.changeTenant(tenant.id, { suspendedAtMs: NOW_MS })
    const isSuspended = (error: unknown) => error instanceof AppError && error.code === 'tenant_suspended'
    await assert.rejects(ask(key), isSuspended)
    await assert.rejects(authenticateById({ keys: stores.keys, uses, clock }, id, '192.0.2.1'), isSuspended)
    assert.equal(await refusal(`${key.slice(0, -4)}0000`), 'Invalid API key')
    await stores.keys.changeTenant(tenant.id, { suspendedAtMs: null })
    assert.equal((await ask(key)).keyId, id)
  })

  test('the key is accepted bare and after Bearer in any letter case', async () => {
    const { key, id } = await tenantKey()
    for (const header of [key, `Bearer ${key}`, `bearer ${key}`, `BEARER   ${key}`, ` ${key} `]) {
      assert.equal((await ask(header)).keyId, id, header)
    }
  })

  test('a missing header is refused and says what to send', async () => {
    for (const header of [undefined, '', '   ']) assert.match(await refusal(header), /Authorization/)
  })

  test('malformed, unknown, wrong and revoked keys are refused with the same message', async () => {
    const { id, key } = await tenantKey()
    const otherSecret = mintApiKey()
    await stores.keys.createKey({ id: otherSecret.id, secretHash: new Uint8Array(32), scopes: [], createdAtMs: NOW_MS })
    const headers = [
      'rubbish',
      'Bearer',
      `Basic ${key}`,
      `Bearer Bearer ${key}`,
      `${key}x`,
      mintApiKey().key,
      otherSecret.key,
    ]
    const messages = new Set<string>()
    for (const header of headers) messages.add(await refusal(header))
    await stores.keys.revokeKey(id, NOW_MS)
    messages.add(await refusal(key))
    assert.deepEqual([...messages], ['Invalid API key'])
  })

  test('an expired key and one from another network are refused with that message too; only the operator learns why', async () => {
    const expired = await createKey({ keys: stores.keys, clock }, 'operator', ['read'], {
      expiresAtMs: NOW_MS + 1,
    })
    const elsewhere = await createKey({ keys: stores.keys, clock }, 'operator', ['read'], { networks: ['::1'] })
    const seen: unknown[] = []
    const deps = {
      keys: stores.keys,
      uses,
      clock: () => NOW_MS + 1,
      onRefused: (...what: unknown[]) => seen.push(what),
    }
    const invalid = { code: 'unauthenticated', message: 'Invalid API key' }
    await assert.rejects(authenticate(deps, expired.key, '::1'), invalid)
    await assert.rejects(authenticateById(deps, elsewhere.id, '192.0.2.1'), invalid)
    assert.deepEqual(seen, [
      [expired.id, 'expired', '::1'],
      [elsewhere.id, 'network', '192.0.2.1'],
    ])
    assert.equal((await authenticate(deps, elsewhere.key, '::1')).keyId, elsewhere.id)
    // A stranger's guesses are not the operator's business.
    await assert.rejects(authenticate(deps, mintApiKey().key, '192.0.2.1'), invalid)
    assert.equal(seen.length, 2)
  })

  test('a valid use is recorded with the next flush, a refused one never', async () => {
    const { id, key } = await tenantKey()
    await refusal(mintApiKey().key)
    await uses.flush()
    assert.equal((await stores.keys.findKey(id))?.lastUsedAtMs, undefined)
    await ask(key)
    await uses.flush()
    assert.equal((await stores.keys.findKey(id))?.lastUsedAtMs, NOW_MS)
  })

  test('a granted scope is accepted, a missing one is named in the refusal', async () => {
    const tenant = await ask((await tenantKey(['domains'])).key)
    const operator = await ask((await createKey({ keys: stores.keys, clock }, 'operator', ['admin'])).key)
    requireScope(tenant, { tenant: 'domains' })
    requireScope(operator, { operator: 'admin' })
    assert.throws(() => requireScope(tenant, { tenant: 'domainStats' }), refusedFor('domainStats'))
    assert.throws(() => requireScope(operator, { tenant: 'domains' }), refusedFor('domains'))
    assert.throws(() => requireScope(operator, { operator: 'ingest' }), refusedFor('ingest'))
    assert.throws(() => requireScope(tenant, { operator: 'admin' }), refusedFor('admin'))
    requireScope(operator, { operator: 'read' })
    const reader = await ask((await createKey({ keys: stores.keys, clock }, 'operator', ['read'])).key)
    requireScope(reader, { operator: 'read' })
    assert.throws(() => requireScope(reader, { operator: 'admin' }), refusedFor('admin'))
    const needs = (kind: string, scope: string) => ({
      message: `This request needs ${kind} API key with the scope ${scope}`,
    })
    assert.throws(() => requireScope(tenant, { tenant: 'logs' }), needs('a tenant', 'logs'))
    assert.throws(() => requireScope(tenant, { operator: 'admin' }), needs('an operator', 'admin'))
    assert.throws(() => requireScope(tenant, { tenant: 'logs', operator: 'read' }), needs('an', 'logs'))
    assert.throws(() => requireScope(operator, { tenant: 'logs', operator: 'ingest' }), needs('an', 'ingest'))
  })

  test('whoever was signed in with a key is told that it was revoked; of a key that does not exist, nothing is said', async () => {
    const deps = { keys: stores.keys, uses, clock }
    const { id, key } = await tenantKey()
    await stores.keys.revokeKey(id, NOW_MS)
    const revoked = { code: 'unauthenticated', message: /^This API key was revoked\. Sign in with another key/ }
    await assert.rejects(authenticateById(deps, id, '192.0.2.1'), revoked)
    await assert.rejects(authenticate(deps, key, '192.0.2.1', 'reason'), revoked)
    await assert.rejects(authenticateById(deps, 'nothing', '192.0.2.1'), { message: 'Invalid API key' })
  })
})
