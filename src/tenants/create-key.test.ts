import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { type ControlStores, openControlStores } from '../../test/harness/storage/control-stores.ts'
import { AppError, type ErrorCode } from '../lib/app-error.ts'
import { createKey } from './create-key.ts'
import { createTenant } from './create-tenant.ts'
import { requireTenantByIdOrName } from './require-tenant.ts'

const NOW_MS = 1_700_000_000_000
const clock = () => NOW_MS

const refused =
  (code: ErrorCode, ...words: string[]) =>
  (error: unknown) => {
    assert.ok(error instanceof AppError)
    assert.equal(error.code, code)
    for (const word of words) assert.ok(error.message.includes(word), `${error.message} lacks ${word}`)
    return true
  }

describe('tenants and their keys', () => {
  let stores: ControlStores
  beforeEach(() => {
    stores = openControlStores()
  })
  afterEach(() => stores.close())

  const deps = () => ({ keys: stores.keys, clock })

  test('a tenant gets a UUID and a client id of its own, and is found by name', async () => {
    const acme = await createTenant(deps(), 'Acme & Söhne')
    const other = await createTenant(deps(), 'other')
    assert.match(acme.id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    assert.match(acme.clientId, /^client_[0-9A-Za-z]{12}$/)
    assert.notEqual(acme.clientId, other.clientId)
    assert.equal(acme.createdAtMs, NOW_MS)
    assert.deepEqual(await stores.keys.findTenantByName('Acme & Söhne'), acme)
  })

  test('a name is taken once, however its letters are composed', async () => {
    await createTenant(deps(), 'Zo\u00eb')
    await assert.rejects(createTenant(deps(), 'Zoe\u0308'), refused('conflict', 'Zo'))
    assert.equal((await createKey(deps(), { tenantName: 'Zoe\u0308' })).scopes.length, 3)
  })

  test('a name that differs from another only in letter case is refused', async () => {
    await createTenant(deps(), 'Zoë & Co')
    await assert.rejects(createTenant(deps(), 'ZOË & CO'), refused('conflict', 'Zoë & Co'))
    await createTenant(deps(), 'Zoe & Co')
  })

  test('a name that cannot be printed, is blank or too long is refused', async () => {
    const names = [
      '',
      ' ',
      ' a',
      'a ',
      'a\nb',
      'a\0b',
      'a\tb',
      'a\u202eb',
      'a\u200bb',
      'a\u2028b',
      '\ud800',
      'a'.repeat(101),
    ]
    for (const name of names) {
      await assert.rejects(createTenant(deps(), name), refused('invalid_request'), JSON.stringify(name))
    }
    assert.equal((await createTenant(deps(), 'a'.repeat(100))).name.length, 100)
  })

  test('a tenant key has all three tenant scopes by default', async () => {
    await createTenant(deps(), 'acme')
    assert.deepEqual((await createKey(deps(), { tenantName: 'acme' })).scopes, ['logs', 'domains', 'domainStats'])
    const { id, scopes } = await createKey(deps(), { tenantName: 'acme' }, ['domainStats', 'logs', 'logs'])
    assert.deepEqual(scopes, ['logs', 'domainStats'])
    assert.deepEqual((await stores.keys.findKey(id))?.scopes, scopes)
  })

  test('a tenant key that sends events has that scope only', async () => {
    await createTenant(deps(), 'acme')
    assert.deepEqual((await createKey(deps(), { tenantName: 'acme' }, ['ingest', 'ingest'])).scopes, ['ingest'])
    await assert.rejects(
      createKey(deps(), { tenantName: 'acme' }, ['ingest', 'logs']),
      refused('invalid_request', 'Create two keys'),
    )
  })

  test('a tenant is named by its id or its name', async () => {
    const acme = await createTenant(deps(), 'acme')
    for (const named of [acme.id, 'acme']) assert.deepEqual(await requireTenantByIdOrName(stores.keys, named), acme)
    await assert.rejects(requireTenantByIdOrName(stores.keys, 'nobody'), refused('not_found', 'nobody'))
  })

  test('the secret is not in any column of the database', async () => {
    await createTenant(deps(), 'acme')
    const { id, key } = await createKey(deps(), { tenantName: 'acme' })
    const record = await stores.keys.findKey(id)
    assert.ok(record)
    const secret = key.slice(17, 60)
    assert.equal(JSON.stringify(record).includes(secret), false)
    assert.equal(Buffer.from(record.secretHash).includes(secret), false)
  })

  test('an operator key without a scope, or with a tenant scope, is refused and names the allowed ones', async () => {
    await assert.rejects(createKey(deps(), 'operator'), refused('invalid_request', 'ingest', 'admin'))
    await assert.rejects(
      createKey(deps(), 'operator', ['ingest', 'logs']),
      refused('invalid_request', 'logs', 'ingest, admin'),
    )
    assert.deepEqual((await createKey(deps(), 'operator', ['admin', 'ingest'])).scopes, ['ingest', 'admin'])
  })

  test('a tenant key with an operator scope or an unknown one is refused and names the allowed ones', async () => {
    await createTenant(deps(), 'acme')
    for (const scope of ['ingest', 'admin', 'LOGS', 'constructor', '']) {
      await assert.rejects(
        createKey(deps(), { tenantName: 'acme' }, ['logs', scope]),
        refused('invalid_request', JSON.stringify(scope), 'logs, domains, domainStats'),
      )
      await assert.rejects(createKey(deps(), { tenantName: 'acme' }, ['logs', scope]), (error: Error) => {
        return !error.message.includes('Repeat --scope')
      })
    }
    await assert.rejects(
      createKey(deps(), { tenantName: 'acme' }, ['logs,domains']),
      refused('invalid_request', 'Repeat --scope'),
    )
    assert.deepEqual(await stores.keys.listKeys(), [])
  })

  test('a key for an unknown tenant is refused and says how to create the tenant', async () => {
    await assert.rejects(
      createKey(deps(), { tenantName: 'nobody' }),
      refused('not_found', 'nobody', 'bin/envelog tenant create'),
    )
  })
})
