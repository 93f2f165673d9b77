import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  type CheckedDomains,
  openCheckedDomains,
  UNVERIFIED,
  VERIFIED,
} from '../../../test/harness/app/checked-domains.ts'
import { AppError } from '../../lib/app-error.ts'
import { openSqliteStorage } from '../../storage/sqlite/open-sqlite-storage.ts'
import { createTenant } from '../../tenants/create-tenant.ts'
import { RECHECKS_AT_ONCE, RECHECKS_PER_ROUND, type RecheckDueDeps, ROUND_MS, recheckDue } from './recheck-due.ts'
import { VerificationRunner } from './verification-runner.ts'

const MINUTE_MS = 60_000
const NEVER = new AbortController().signal
const DUE = { recheck: { atMs: 0, step: 0 } }

function toDeps({ storage, dns, clock }: CheckedDomains, extra: Partial<RecheckDueDeps> = {}): RecheckDueDeps {
  const { domains } = storage.control
  const onFailure = (_domainId: string, error: unknown) => {
    throw error
  }
  const verifications = new VerificationRunner({ domains, dns, clock })
  return { domains, clock, readTime: async () => clock(), verifications, onFailure, ...extra }
}

async function addMany(domains: CheckedDomains, count: number): Promise<void> {
  for (let index = 0; index < count; index++) await domains.add(`d${index}.test`, { ...UNVERIFIED, ...DUE })
}

describe('a round of the schedule', () => {
  test('checks only domains that are due, and reschedules them', async () => {
    await using domains = await openCheckedDomains()
    const due = await domains.add('due.test', DUE)
    const notYet = await domains.add('later.test', { recheck: { atMs: domains.clock() + 1, step: 0 } })
    const inactive = await domains.add('inactive.test', { ...DUE, isActive: false })
    const deps = toDeps(domains)
    await recheckDue(deps, NEVER)
    const checked = await domains.find(due.id)
    assert.equal(checked.lastVerificationCheckedAtMs, domains.clock())
    assert.ok((checked.recheck?.atMs ?? 0) > domains.clock())
    assert.deepEqual(await domains.find(notYet.id), notYet)
    assert.deepEqual(await domains.find(inactive.id), inactive)
    await recheckDue(deps, NEVER)
    assert.equal(domains.dns.sessions, 1)
  })

  test('what is due, and when a claim ends, is decided by the time of all servers', async () => {
    await using domains = await openCheckedDomains()
    const { domains: store } = domains.storage.control
    const later = domains.clock() + 4 * MINUTE_MS
    const { id } = await domains.add('due.test', { recheck: { atMs: later, step: 0 } })
    const { verifications, ...deps } = toDeps(domains)
    const claimedByOthers: (readonly string[])[] = []
    const recheck = async (domainId: string) => {
      claimedByOthers.push(await store.claimDue(later + MINUTE_MS, 10, MINUTE_MS))
      return verifications.recheck(domainId)
    }
    const roundAt = (timeMs: number) =>
      recheckDue({ ...deps, verifications: { recheck }, readTime: async () => timeMs }, NEVER)
    domains.advance(5 * MINUTE_MS)
    await roundAt(later - 1)
    assert.deepEqual(claimedByOthers, [])
    domains.advance(-5 * MINUTE_MS)
    await roundAt(later)
    assert.deepEqual(claimedByOthers, [[]])
    assert.equal((await domains.find(id)).lastVerificationCheckedAtMs, domains.clock())
  })

  test('from nothing to verified, broken and back, automatically', async () => {
    await using domains = await openCheckedDomains()
    const domain = await domains.add('example.com', DUE)
    const deps = toDeps(domains)
    const states: string[] = []
    /** Advances the clock to the next check. */
    const next = async () => {
      const { recheck } = await domains.find(domain.id)
      assert.ok(recheck)
      domains.advance(Math.max(recheck.atMs - domains.clock(), 0))
      await recheckDue(deps, NEVER)
      const { isVerified, failingSinceMs } = await domains.find(domain.id)
      states.push(isVerified ? (failingSinceMs === undefined ? 'verified' : 'failing') : 'unverified')
    }
    await next()
    domains.publish(domain)
    await next()
    domains.withdraw(domain)
    await next()
    domains.publish(domain)
    await next()
    domains.withdraw(domain)
    await next()
    await next()
    domains.publish(domain)
    await next()
    assert.deepEqual(states, ['unverified', 'verified', 'failing', 'verified', 'failing', 'unverified', 'verified'])
  })

  test('takes a bounded number, a few at a time, however many are due after a long stop', async () => {
    let running = 0
    let most = 0
    await using domains = await openCheckedDomains()
    await addMany(domains, RECHECKS_PER_ROUND + 10)
    const { verifications, ...deps } = toDeps(domains)
    const counted = {
      async recheck(domainId: string) {
        running += 1
        most = Math.max(most, running)
        const result = await verifications.recheck(domainId)
        running -= 1
        return result
      },
    }
    await recheckDue({ ...deps, verifications: counted }, NEVER)
    assert.equal(domains.dns.sessions, RECHECKS_PER_ROUND)
    assert.equal(most, RECHECKS_AT_ONCE)
    await recheckDue({ ...deps, verifications: counted }, NEVER)
    assert.equal(domains.dns.sessions, RECHECKS_PER_ROUND + 10)
  })

  test('starts no more after some seconds, so that domains of others that become due meanwhile get their turn', async () => {
    await using domains = await openCheckedDomains()
    await addMany(domains, RECHECKS_PER_ROUND)
    const { verifications, ...deps } = toDeps(domains)
    const slow = {
      async recheck(domainId: string) {
        const result = await verifications.recheck(domainId)
        domains.advance(ROUND_MS / 10)
        return result
      },
    }
    await recheckDue({ ...deps, verifications: slow }, NEVER)
    const started = domains.dns.sessions
    assert.ok(started >= RECHECKS_AT_ONCE && started <= 10 + RECHECKS_AT_ONCE, `${started}`)

    const { id: tenantId } = await createTenant({ keys: domains.storage.control.keys, clock: domains.clock }, 'other')
    const other = await domains.add('other.test', {
      ...UNVERIFIED,
      recheck: { atMs: domains.clock(), step: 0 },
      tenantId,
    })
    await recheckDue({ ...deps, verifications: slow }, NEVER)
    assert.ok((await domains.find(other.id)).lastVerificationCheckedAtMs)
    // Not all others have been checked.
    assert.ok(domains.dns.sessions < RECHECKS_PER_ROUND)
  })

  test('starts no more once it is aborted', async () => {
    const stopping = new AbortController()
    await using domains = await openCheckedDomains((zone) => (name) => {
      stopping.abort()
      return zone.get(name)
    })
    await addMany(domains, RECHECKS_PER_ROUND)
    await recheckDue(toDeps(domains), stopping.signal)
    assert.ok(domains.dns.sessions <= RECHECKS_AT_ONCE)
    assert.ok((await domains.storage.control.domains.claimDue(domains.clock(), 100, 1)).length >= 40)
  })

  test('the schedule survives a restart', async () => {
    await using domains = await openCheckedDomains()
    const domain = await domains.add('example.com', { ...VERIFIED, recheck: { atMs: domains.clock(), step: 0 } })
    await recheckDue(toDeps(domains), NEVER)
    const failing = await domains.find(domain.id)
    await domains.storage.close()

    domains.advance(60 * MINUTE_MS)
    const { dataDir, clock, dns } = domains
    const storage = await openSqliteStorage({ dataDir, clock, serviceMessageIdField: 'service_message_id' })
    assert.deepEqual(await storage.control.domains.findById(domain.id), failing)
    await recheckDue(toDeps({ ...domains, storage, dns, clock }), NEVER)
    const lost = await storage.control.domains.findById(domain.id)
    assert.deepEqual([lost?.isVerified, lost?.failingSinceMs], [false, undefined])
    await storage.close()
  })
})

describe('a check that cannot be made', () => {
  test('because too many are running stays due, and ends the round', async () => {
    await using domains = await openCheckedDomains()
    await addMany(domains, RECHECKS_PER_ROUND)
    let calls = 0
    const recheck = async () => {
      calls += 1
      throw new AppError('overloaded', 'full')
    }
    await recheckDue(toDeps(domains, { verifications: { recheck } }), NEVER)
    assert.equal(calls, RECHECKS_AT_ONCE)
    assert.equal((await domains.storage.control.domains.claimDue(domains.clock(), 100, 1)).length, RECHECKS_PER_ROUND)
  })

  test('because of a bug is reported and rescheduled, and the others are checked', async () => {
    await using domains = await openCheckedDomains()
    const bad = await domains.add('bad.test', DUE)
    const good = await domains.add('good.test', DUE)
    const { verifications, ...deps } = toDeps(domains)
    const failed: string[] = []
    const recheck = (domainId: string) =>
      domainId === bad.id ? Promise.reject(new TypeError('bug')) : verifications.recheck(domainId)
    const onFailure = (domainId: string) => void failed.push(domainId)
    await recheckDue({ ...deps, verifications: { recheck }, onFailure }, NEVER)
    assert.deepEqual(failed, [bad.id])
    const later = await domains.find(bad.id)
    assert.equal(later.recheck?.step, 1)
    assert.ok(later.recheck.atMs >= domains.clock() + MINUTE_MS)
    assert.equal(later.updatedAtMs, bad.updatedAtMs)
    assert.equal((await domains.find(good.id)).lastVerificationCheckedAtMs, domains.clock())
  })

  test('because storage fails ends the round with that error', async () => {
    await using domains = await openCheckedDomains()
    await addMany(domains, 20)
    const recheck = () => Promise.reject(new AppError('storage_unavailable', 'full disk'))
    const onFailure = () => assert.fail('it is not a failure of the domain')
    await assert.rejects(recheckDue(toDeps(domains, { verifications: { recheck }, onFailure }), NEVER), /full disk/)
  })
})

test('claims are released if some are left, and otherwise nothing is written', async () => {
  const released: (readonly string[])[] = []
  const run = async (failing: readonly string[]) => {
    const domains = {
      claimDue: async () => ['a', 'b', 'c'],
      releaseClaims: async (ids: readonly string[]) => void released.push(ids),
      findById: async () => undefined,
      saveRecheck: async () => undefined,
    }
    const recheck = async (domainId: string) => {
      if (failing.includes(domainId)) throw new AppError('overloaded', 'full')
      return { isVerified: true, errors: [] }
    }
    const onFailure = (_domainId: string, error: unknown) => {
      throw error
    }
    const clock = () => 0
    await recheckDue({ domains, verifications: { recheck }, clock, readTime: async () => 0, onFailure }, NEVER)
  }
  await run([])
  assert.deepEqual(released, [])
  await run(['b'])
  assert.deepEqual(released, [['b']])
})
