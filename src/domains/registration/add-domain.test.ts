import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { type ControlStores, openControlStores } from '../../../test/harness/storage/control-stores.ts'
import { AppError, type ErrorCode } from '../../lib/app-error.ts'
import { createSealer } from '../../lib/sealing/sealer.ts'
import { createTenant } from '../../tenants/create-tenant.ts'
import { openDkimPrivateKey } from '../records/dkim-key.ts'
import { requireDomain, requireTenantDomain } from '../require-domain.ts'
import { firstRecheck } from '../verification/recheck-schedule.ts'
import { activateDomain } from './activate-domain.ts'
import { type AddDomainRequest, addDomain } from './add-domain.ts'

const NOW_MS = 1_700_000_000_000
const sealer = createSealer(Buffer.alloc(32, 1), 'dkim')

const refused =
  (code: ErrorCode, ...words: string[]) =>
  (error: unknown) => {
    assert.ok(error instanceof AppError)
    assert.equal(error.code, code)
    for (const word of words) assert.ok(error.message.includes(word), `${error.message} lacks ${word}`)
    return true
  }

describe('sender domains', () => {
  let stores: ControlStores
  let nowMs: number

  beforeEach(async () => {
    nowMs = NOW_MS
    stores = openControlStores()
    await createTenant({ keys: stores.keys, clock: () => nowMs }, 'acme')
  })
  afterEach(() => stores.close())

  const add = (request: Partial<AddDomainRequest>) =>
    addDomain(
      { domains: stores.domains, keys: stores.keys, sealer, clock: () => nowMs, spfInclude: '_spf.mta.test' },
      { name: 'example.com', tenantName: 'acme', isActive: false, ...request },
    )

  test('a new domain has its name in ASCII, a key of its own, records to publish and nothing verified', async () => {
    const domain = await add({ name: 'MÜNCHEN.de.' })
    const [key] = domain.dkimKeys
    assert.ok(key)
    assert.equal(domain.dkimKeys.length, 1)
    assert.deepEqual([key.state, key.algorithm, key.createdAtMs], ['current', 'rsa', NOW_MS])
    assert.deepEqual(await stores.domains.findById(domain.id), domain)
    assert.equal(domain.name, 'xn--mnchen-3ya.de')
    assert.equal(domain.sendingEmail, 'postmaster@xn--mnchen-3ya.de')
    assert.equal(domain.description, '')
    assert.deepEqual([domain.isActive, domain.isApproved, domain.isVerified], [false, false, false])
    assert.deepEqual([domain.createdAtMs, domain.updatedAtMs], [NOW_MS, NOW_MS])
    assert.equal(domain.lastVerificationCheckedAtMs, undefined)
    assert.equal(domain.recheck, undefined)
    assert.deepEqual(
      domain.dnsRecords.filter(({ required }) => required).map(({ name }) => name),
      [`${key.selector}._domainkey.xn--mnchen-3ya.de`, 'xn--mnchen-3ya.de'],
    )
    assert.ok(domain.dnsRecords[0]?.value.endsWith(`p=${key.publicKey}`))
    assert.match(openDkimPrivateKey(key, sealer), /PRIVATE KEY/)
  })

  test('description, sending address and active flag are kept', async () => {
    const domain = await add({ isActive: true, description: 'Newsletter', sendingEmail: 'news+1@Mail.Example.com' })
    assert.equal(domain.isActive, true)
    assert.deepEqual(domain.recheck, firstRecheck(domain.id, NOW_MS))
    assert.equal(domain.description, 'Newsletter')
    assert.equal(domain.sendingEmail, 'news+1@mail.example.com')
  })

  test('a name is added once, whatever the tenant and the spelling', async () => {
    await add({})
    await createTenant({ keys: stores.keys, clock: () => nowMs }, 'other')
    await assert.rejects(add({ name: 'EXAMPLE.com.', tenantName: 'other' }), refused('conflict', 'example.com'))
  })

  test('two additions at the same time end in one domain and one conflict', async () => {
    const [one, two] = await Promise.allSettled([add({}), add({})])
    assert.deepEqual([one.status, two.status].toSorted(), ['fulfilled', 'rejected'])
    const failed = one.status === 'rejected' ? one : two
    assert.ok(failed.status === 'rejected' && refused('conflict')(failed.reason))
  })

  test('a bad name, address or description is refused', async () => {
    await assert.rejects(add({ name: 'co.uk' }), refused('invalid_request', 'public suffix'))
    const long = `${`${'a'.repeat(63)}.`.repeat(3)}${'b'.repeat(34)}.test`
    await assert.rejects(add({ name: long }), refused('invalid_request', 'too long'))
    assert.equal((await add({ name: long.slice(1) })).dnsRecords[0]?.name.length, 253)
    await assert.rejects(add({ description: 'x'.repeat(501) }), refused('invalid_request', '500'))
    for (const description of ['\u001b[2J', 'a\0b', '\u202eevil'])
      await assert.rejects(add({ description }), refused('invalid_request', 'control characters'))
    const addresses = ['', 'x', '@example.com', 'a@other.com', 'a@notexample.com', 'a b@example.com', 'a@b@example.com']
    for (const sendingEmail of [...addresses, '.a@example.com', 'a..b@example.com', `${'a'.repeat(250)}@example.com`]) {
      await assert.rejects(add({ sendingEmail }), refused('invalid_request', 'example.com'), sendingEmail)
    }
  })

  test('an unknown tenant is refused and says how to create it', async () => {
    await assert.rejects(add({ tenantName: 'nobody' }), refused('not_found', 'envelog tenant create'))
  })

  test('activating sets the flag and the time of change once', async () => {
    await add({})
    nowMs += 1000
    const activate = () => activateDomain({ domains: stores.domains, clock: () => nowMs }, 'Example.com')
    const active = await activate()
    assert.equal(active.isActive, true)
    assert.equal(active.updatedAtMs, nowMs)
    assert.deepEqual(active.recheck, firstRecheck(active.id, nowMs))
    nowMs += 1000
    assert.deepEqual(await activate(), active)
    await assert.rejects(
      activateDomain({ domains: stores.domains, clock: () => nowMs }, 'missing.test'),
      refused('domain_not_found'),
    )
  })

  test('a domain is found by its tenant in any spelling; another tenant’s, a missing and an invalid one give the same error', async () => {
    const domain = await add({ name: 'münchen.de' })
    for (const name of ['münchen.de', 'MÜNCHEN.DE.', 'xn--mnchen-3ya.de']) {
      assert.deepEqual(await requireTenantDomain(stores.domains, domain.tenantId, name), domain)
      assert.deepEqual(await requireDomain(stores.domains, name), domain)
    }
    const messages = new Set<string>()
    const attempts = [
      requireTenantDomain(stores.domains, 'another-tenant', domain.name),
      requireTenantDomain(stores.domains, domain.tenantId, 'missing.test'),
      requireTenantDomain(stores.domains, domain.tenantId, '../etc'),
      requireDomain(stores.domains, ''),
    ]
    for (const attempt of attempts) {
      await assert.rejects(attempt, (error: unknown) => {
        assert.ok(error instanceof AppError)
        messages.add(`${error.code}: ${error.message}`)
        return true
      })
    }
    assert.deepEqual([...messages], ['domain_not_found: Domain not found'])
  })

  test('a listing shows what was added', async () => {
    const domain = await add({})
    const page = await stores.domains.list({
      tenantId: domain.tenantId,
      skip: 0,
      take: 100,
      orderBy: { field: 'updatedAt', direction: 'desc' },
    })
    assert.deepEqual(page, { domains: [domain], count: 1 })
  })
})
