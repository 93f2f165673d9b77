import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  type CheckedDomains,
  openCheckedDomains,
  UNVERIFIED,
  VERIFIED,
} from '../../../test/harness/app/checked-domains.ts'
import { AppError, type ErrorCode } from '../../lib/app-error.ts'
import { createTenant } from '../../tenants/create-tenant.ts'
import type { DomainStore } from '../domain-store.ts'
import { TENANT_LIMITS, VERIFY_RATE, VerificationRunner, type VerificationRunnerDeps } from './verification-runner.ts'
import type { CheckedDomain } from './verify-domain.ts'

const HOUR_MS = 3_600_000

function createRunner(
  { storage, dns, clock }: CheckedDomains,
  extra: Partial<VerificationRunnerDeps> = {},
): VerificationRunner {
  return new VerificationRunner({ domains: storage.control.domains, dns, clock, ...extra })
}

/** DNS that answers when released or aborted. */
function openGate() {
  const gate = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  return {
    asked: asked.promise,
    open: () => gate.resolve(),
    openDomains: () =>
      openCheckedDomains((zone) => async (name, signal) => {
        asked.resolve()
        const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve))
        await Promise.race([gate.promise, aborted])
        return signal.aborted ? { kind: 'unreachable', reason: 'cancelled' } : zone.get(name)
      }),
  }
}

const refused = (code: ErrorCode) => (error: unknown) => error instanceof AppError && error.code === code

describe('one check per domain', () => {
  test('a thousand concurrent requests cause one check and get the same answer', async () => {
    await using domains = await openCheckedDomains()
    const { id, tenantId } = await domains.add('example.com')
    const runner = createRunner(domains)
    const results = await Promise.all(Array.from({ length: 1000 }, () => runner.verify({ domainId: id, tenantId })))
    assert.equal(domains.dns.sessions, 1)
    assert.equal(new Set(results).size, 1)
    assert.equal(results[0]?.isVerified, false)
  })

  test('a request after the answer starts a new check', async () => {
    await using domains = await openCheckedDomains()
    const domain = await domains.add('example.com')
    const runner = createRunner(domains)
    assert.equal((await runner.verify({ domainId: domain.id })).isVerified, false)
    domains.publish(domain)
    assert.equal((await runner.verify({ domainId: domain.id })).isVerified, true)
    assert.equal(domains.dns.sessions, 2)
  })

  test('domains do not wait for each other', async () => {
    await using domains = await openCheckedDomains()
    const all = await Promise.all(['a.test', 'b.test', 'c.test'].map((name) => domains.add(name)))
    const runner = createRunner(domains)
    await Promise.all(all.map(({ id }) => runner.verify({ domainId: id })))
    assert.equal(domains.dns.sessions, 3)
  })

  test('another tenant’s domain is refused even while it is being checked', async () => {
    const gate = openGate()
    await using domains = await gate.openDomains()
    const { id } = await domains.add('example.com')
    const runner = createRunner(domains)
    const owner = runner.verify({ domainId: id, tenantId: domains.tenantId })
    await gate.asked
    await assert.rejects(runner.verify({ domainId: id, tenantId: 'rival' }), refused('domain_not_found'))
    gate.open()
    await owner
  })

  test('a check that throws fails for all who share it, and the next one starts afresh', async () => {
    await using domains = await openCheckedDomains()
    const { id } = await domains.add('example.com')
    let failures = 1
    const store: Pick<DomainStore, 'findById' | 'saveVerification'> = {
      findById: (domainId) => domains.storage.control.domains.findById(domainId),
      saveVerification: (...values) =>
        failures-- > 0 ? Promise.reject(new Error('bug')) : domains.storage.control.domains.saveVerification(...values),
    }
    const runner = createRunner(domains, { domains: store })
    const [one, two] = await Promise.allSettled([runner.verify({ domainId: id }), runner.verify({ domainId: id })])
    assert.deepEqual([one.status, two.status], ['rejected', 'rejected'])
    assert.equal((await runner.verify({ domainId: id })).isVerified, false)
  })
})

describe('a scheduled check', () => {
  test('removes the flags of a verified domain with the second failure, an hour later', async () => {
    await using domains = await openCheckedDomains()
    const { id } = await domains.add('example.com', VERIFIED)
    const runner = createRunner(domains)
    await runner.recheck(id)
    const failing = await domains.find(id)
    assert.equal(failing.isVerified, true)
    assert.equal(failing.failingSinceMs, domains.clock())
    assert.equal(failing.lastVerificationErrors.length, 2)
    assert.deepEqual(failing.recheck, { atMs: domains.clock() + HOUR_MS, step: 0 })
    domains.advance(HOUR_MS)
    await runner.recheck(id)
    const lost = await domains.find(id)
    assert.deepEqual([lost.isVerified, lost.isApproved, lost.failingSinceMs], [false, false, undefined])
  })

  test('that a user joins counts as requested', async () => {
    const gate = openGate()
    await using domains = await gate.openDomains()
    const { id } = await domains.add('example.com', VERIFIED)
    const checked: CheckedDomain[] = []
    const runner = createRunner(domains, { onChecked: (check) => void checked.push(check) })
    const scheduled = runner.recheck(id)
    await gate.asked
    const joined = runner.verify({ domainId: id })
    // The domain is looked up before it can be joined.
    await new Promise(setImmediate)
    gate.open()
    assert.equal(await joined, await scheduled)
    assert.equal(domains.dns.sessions, 1)
    assert.equal((await domains.find(id)).isVerified, false)
    assert.deepEqual(
      checked.map(({ trigger }) => trigger),
      ['asked'],
    )
  })

  test('that is being recorded when a user asks is followed by a requested check', async () => {
    await using domains = await openCheckedDomains()
    const { id } = await domains.add('example.com', VERIFIED)
    const writing = Promise.withResolvers<void>()
    const written = Promise.withResolvers<void>()
    const store: Pick<DomainStore, 'findById' | 'saveVerification'> = {
      findById: (domainId) => domains.storage.control.domains.findById(domainId),
      async saveVerification(...values) {
        writing.resolve()
        await written.promise
        await domains.storage.control.domains.saveVerification(...values)
      },
    }
    const runner = createRunner(domains, { domains: store })
    const scheduled = runner.recheck(id)
    await writing.promise
    const asked = [1, 2, 3].map(() => runner.verify({ domainId: id }))
    await new Promise(setImmediate)
    written.resolve()
    await Promise.all([scheduled, ...asked])
    assert.equal(domains.dns.sessions, 2)
    assert.equal((await domains.find(id)).isVerified, false)
  })
})

describe('all checks together', () => {
  test('no more run than allowed; requests beyond the queue are refused, and nothing is written', async () => {
    let done = 0
    let most = 0
    await using domains = await openCheckedDomains((zone) => async (name) => {
      most = Math.max(most, domains.dns.sessions - done)
      await new Promise(setImmediate)
      return zone.get(name)
    })
    const all = await Promise.all(Array.from({ length: 9 }, (_, index) => domains.add(`d${index}.test`)))
    const runner = createRunner(domains, { limits: { runningMax: 2, waitingMax: 5 }, onChecked: () => void done++ })
    const results = await Promise.allSettled(all.map(({ id }) => runner.verify({ domainId: id })))
    const rejected = results.filter((result) => result.status === 'rejected')
    assert.equal(rejected.length, 2)
    for (const { reason } of rejected) assert.ok(refused('overloaded')(reason))
    assert.equal(domains.dns.sessions, 7)
    assert.equal(most, 2)
    const checked = await Promise.all(all.map(({ id }) => domains.find(id)))
    assert.equal(checked.filter((domain) => domain.lastVerificationCheckedAtMs !== undefined).length, 7)
  })

  test('the schedule waits in the same queue', async () => {
    const gate = openGate()
    await using domains = await gate.openDomains()
    const [one, two] = await Promise.all([domains.add('one.test'), domains.add('two.test')])
    const runner = createRunner(domains, { limits: { runningMax: 1, waitingMax: 0 } })
    const asked = runner.verify({ domainId: one.id })
    await gate.asked
    await assert.rejects(runner.recheck(two.id), { code: 'overloaded', message: /^Too many checks are running;/ })
    gate.open()
    await asked
  })
})

test('a tenant with many slow zones does not take the slots of others', async () => {
  const slow = Promise.withResolvers<undefined>()
  await using domains = await openCheckedDomains((zone) => (name) => {
    return name.includes('slow') ? slow.promise : zone.get(name)
  })
  const { id: victim } = await createTenant({ keys: domains.storage.control.keys, clock: domains.clock }, 'victim')
  const many = Array.from({ length: 40 }, (_, index) => domains.add(`slow${index}.test`))
  const zones = await Promise.all(many)
  const { id } = await domains.add('quick.test', { tenantId: victim })
  const runner = createRunner(domains)
  const checks = zones.map((zone) => runner.verify({ domainId: zone.id, tenantId: domains.tenantId }))
  assert.equal((await runner.verify({ domainId: id, tenantId: victim })).isVerified, false)
  assert.equal(domains.dns.sessions, TENANT_LIMITS.runningMax + 1)
  slow.resolve(undefined)
  await Promise.all(checks)
})

describe('the limit of a tenant', () => {
  test('counts checks, not calls that share one, and recovers with time', async () => {
    await using domains = await openCheckedDomains()
    const { id, tenantId } = await domains.add('example.com')
    const runner = createRunner(domains)
    const verify = () => runner.verify({ domainId: id, tenantId })
    await Promise.all(Array.from({ length: 10 * VERIFY_RATE.burst }, verify))
    for (let index = 1; index < VERIFY_RATE.burst; index++) await verify()
    await assert.rejects(verify(), refused('rate_limited'))
    domains.advance(60_000 / VERIFY_RATE.perMinute)
    await verify()
    await assert.rejects(verify(), refused('rate_limited'))
    assert.equal(domains.dns.sessions, VERIFY_RATE.burst + 1)
  })

  test('is not used up by the schedule or by refused ids', async () => {
    await using domains = await openCheckedDomains()
    const { id, tenantId } = await domains.add('example.com')
    const runner = createRunner(domains)
    for (let index = 0; index < 2 * VERIFY_RATE.burst; index++) {
      await assert.rejects(runner.verify({ domainId: 'none', tenantId }), refused('domain_not_found'))
      await runner.recheck(id)
    }
    await runner.verify({ domainId: id, tenantId })
  })
})

describe('closing', () => {
  test('aborts running checks, records no results, and starts no more', async () => {
    const gate = openGate()
    await using domains = await gate.openDomains()
    const recheck = { atMs: 1, step: 2 }
    const domain = await domains.add('example.com', { ...VERIFIED, recheck })
    const waiting = await domains.add('waiting.test', { ...UNVERIFIED, recheck })
    const runner = createRunner(domains, { limits: { runningMax: 1, waitingMax: 1 } })
    const ended = assert.rejects(runner.recheck(domain.id), refused('overloaded'))
    const never = assert.rejects(runner.recheck(waiting.id), refused('overloaded'))
    await gate.asked
    await runner.close()
    await Promise.all([ended, never])
    const late = runner.verify({ domainId: domain.id })
    await assert.rejects(late, { code: 'overloaded', message: /^The server is shutting down;/ })
    assert.equal(domains.dns.sessions, 1)
    assert.deepEqual(await domains.find(domain.id), domain)
    assert.deepEqual(await domains.find(waiting.id), waiting)
  })
})
