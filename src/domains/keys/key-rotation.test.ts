import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type CheckedDomains, openCheckedDomains, VERIFIED } from '../../../test/harness/app/checked-domains.ts'
import { AppError, type ErrorCode } from '../../lib/app-error.ts'
import { createSealer } from '../../lib/sealing/sealer.ts'
import type { Domain } from '../domain.ts'
import type { DomainStore } from '../domain-store.ts'
import { openDkimPrivateKey } from '../records/dkim-key.ts'
import { firstRecheck } from '../verification/recheck-schedule.ts'
import { VerificationRunner } from '../verification/verification-runner.ts'
import { promoteKey, retireKey } from './replace-key.ts'
import { rotateKey } from './rotate-key.ts'

const sealer = createSealer(Buffer.alloc(32, 1), 'dkim')
/** RSA takes a while to make, and no test here depends on the algorithm. */
const REQUEST = { name: 'example.com', algorithm: 'ed25519' } as const

function toDeps({ storage, clock }: CheckedDomains, domains: DomainStore = storage.control.domains) {
  return { domains, clock, sealer }
}

async function verify(domains: CheckedDomains, { id }: Domain): Promise<boolean> {
  const { storage, dns, clock } = domains
  const runner = new VerificationRunner({ domains: storage.control.domains, dns, clock })
  return (await runner.verify({ domainId: id })).isVerified
}

const keysOf = ({ dkimKeys }: Domain) => dkimKeys.map(({ selector, state }) => `${selector} ${state}`)
const dkimOf = ({ dnsRecords }: Domain) =>
  dnsRecords
    .filter(({ purpose }) => purpose === 'DKIM')
    .map(({ name, required, status }) => [name.split('.')[0], required, status])

const refused =
  (code: ErrorCode, words: RegExp) =>
  (error: unknown): boolean => {
    assert.ok(error instanceof AppError)
    assert.equal(error.code, code)
    assert.match(error.message, words)
    return true
  }

describe('a rotation', () => {
  test('from one key to the next: created, seen, promoted, and the old one retired; verified at every step', async () => {
    await using domains = await openCheckedDomains()
    const before = await domains.add('example.com')
    domains.publish(before)
    assert.equal(await verify(domains, before), true)

    const { domain, key } = await rotateKey(toDeps(domains), REQUEST)
    const next = key.selector
    assert.deepEqual(keysOf(domain), ['s1 current', `${next} next`])
    assert.match(openDkimPrivateKey(key, sealer), /PRIVATE KEY/)
    assert.equal(key.algorithm, 'ed25519')
    assert.deepEqual(dkimOf(domain), [
      ['s1', true, 'valid'],
      [next, false, 'pending'],
    ])
    assert.equal(domain.dnsRecords.at(-1)?.purpose, 'SPF')
    assert.deepEqual([domain.isVerified, domain.recheck], [true, firstRecheck(domain.id, domains.clock())])

    const promote = () => promoteKey(toDeps(domains), { name: 'EXAMPLE.com', selector: next })
    await assert.rejects(promote(), refused('conflict', /no check has looked for it.*domain verify example\.com/))
    assert.equal(await verify(domains, before), true)
    await assert.rejects(promote(), refused('conflict', /last check did not find it/))
    domains.zone.set(`${next}._domainkey.example.com`, { kind: 'unreachable', reason: 'SERVFAIL' })
    assert.equal(await verify(domains, before), true)
    await assert.rejects(promote(), refused('conflict', /the DNS query of the last check failed/))
    assert.deepEqual(keysOf(await domains.find(before.id)), ['s1 current', `${next} next`])

    domains.publish(domain)
    assert.equal(await verify(domains, before), true)
    const promoted = await promote()
    assert.deepEqual(keysOf(promoted), ['s1 previous', `${next} current`])
    assert.deepEqual(dkimOf(promoted), [
      ['s1', false, 'valid'],
      [next, true, 'valid'],
    ])
    assert.equal(promoted.isVerified, true)
    await assert.rejects(promote(), refused('conflict', /already in use/))

    // The old record may go now, the new one must not.
    domains.zone.delete('s1._domainkey.example.com')
    assert.equal(await verify(domains, before), true)
    const retired = await retireKey(toDeps(domains), { name: 'example.com', selector: 's1' })
    assert.deepEqual(keysOf(retired), [`${next} current`])
    assert.deepEqual(dkimOf(retired), [[next, true, 'valid']])
    domains.zone.delete(`${next}._domainkey.example.com`)
    assert.equal(await verify(domains, before), false)
  })

  test('can be cancelled, and reverted', async () => {
    await using domains = await openCheckedDomains()
    const before = await domains.add('example.com')
    const { key: unwanted } = await rotateKey(toDeps(domains), REQUEST)
    const { selector: tooEarly } = unwanted
    const calledOff = await retireKey(toDeps(domains), { name: 'example.com', selector: tooEarly })
    assert.deepEqual([keysOf(calledOff), dkimOf(calledOff)], [['s1 current'], [['s1', true, 'pending']]])

    const { domain, key } = await rotateKey(toDeps(domains), REQUEST)
    domains.publish(domain)
    await verify(domains, before)
    await promoteKey(toDeps(domains), { name: 'example.com', selector: key.selector })
    const back = await promoteKey(toDeps(domains), { name: 'example.com', selector: 'S1' })
    assert.deepEqual(keysOf(back), ['s1 current', `${key.selector} previous`])
  })

  test('has one new key at a time, and never retires the one in use', async () => {
    await using domains = await openCheckedDomains()
    await domains.add('example.com')
    const { key } = await rotateKey(toDeps(domains), REQUEST)
    await assert.rejects(rotateKey(toDeps(domains), REQUEST), refused('conflict', new RegExp(key.selector)))
    // Creating a key is slow: a refusal that needs none must not cost one.
    const unused = { ...sealer, seal: () => assert.fail('a key was created') }
    await assert.rejects(rotateKey({ ...toDeps(domains), sealer: unused }, REQUEST), refused('conflict', /already has/))
    const retire = (selector: string) => retireKey(toDeps(domains), { name: 'example.com', selector })
    await assert.rejects(retire('s1'), refused('conflict', /is in use.*Promote another/))
    await assert.rejects(retire('s9'), refused('not_found', new RegExp(`s1 \\(current\\), ${key.selector} \\(next\\)`)))
    await assert.rejects(rotateKey(toDeps(domains), { name: 'b.test' }), refused('domain_not_found', /not found/))
  })

  test('two at the same time end in one new key and one refusal', async () => {
    await using domains = await openCheckedDomains()
    const { id } = await domains.add('example.com')
    const results = await Promise.allSettled([rotateKey(toDeps(domains), REQUEST), rotateKey(toDeps(domains), REQUEST)])
    assert.deepEqual(results.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
    assert.equal((await domains.find(id)).dkimKeys.length, 2)
  })

  test('a check that finishes in between does not make it fail, and its findings are kept', async () => {
    await using domains = await openCheckedDomains()
    const before = await domains.add('example.com', VERIFIED)
    domains.publish(before)
    let checks = 0
    const store: DomainStore = {
      ...domains.storage.control.domains,
      async saveKeys(...values) {
        if (checks++ === 0) await verify(domains, before)
        return domains.storage.control.domains.saveKeys(...values)
      },
    }
    const { domain, key } = await rotateKey(toDeps(domains, store), REQUEST)
    assert.equal(checks, 2)
    assert.deepEqual(dkimOf(domain), [
      ['s1', true, 'valid'],
      [key.selector, false, 'pending'],
    ])
  })

  test('constant concurrent changes of the keys are a conflict, not an endless loop', async () => {
    await using domains = await openCheckedDomains()
    await domains.add('example.com')
    const store: DomainStore = { ...domains.storage.control.domains, saveKeys: async () => false }
    await assert.rejects(rotateKey(toDeps(domains, store), REQUEST), refused('conflict', /another process/))
  })

  test('of a domain without a key creates its first one, which is then required', async () => {
    await using domains = await openCheckedDomains()
    const bare = await domains.add('example.com', { dkimKeys: [], dnsRecords: [] })
    assert.equal(await verify(domains, bare), false)
    assert.equal((await domains.find(bare.id)).lastVerificationErrors[0]?.type, 'CONFIG')
    const { domain, key } = await rotateKey(toDeps(domains), REQUEST)
    assert.equal(key.state, 'current')
    assert.deepEqual(dkimOf(domain), [[key.selector, true, 'pending']])
    domains.publish(domain)
    assert.equal(await verify(domains, bare), true)
  })

  test('of an inactive domain schedules no check', async () => {
    await using domains = await openCheckedDomains()
    await domains.add('example.com', { isActive: false })
    const { domain } = await rotateKey(toDeps(domains), REQUEST)
    assert.equal(domain.recheck, undefined)
  })
})
