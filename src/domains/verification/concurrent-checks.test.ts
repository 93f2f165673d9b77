/** Two processes that check the same domain: the result of a slow check is based on what the other has saved meanwhile. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type CheckedDomains,
  openCheckedDomains,
  UNVERIFIED,
  VERIFIED,
} from '../../../test/harness/app/checked-domains.ts'
import { createToldDns, type TxtAnswer } from '../../../test/harness/app/told-dns.ts'
import type { Dns } from '../dns-resolver.ts'
import { FAILING_GRACE_MS } from './domain-status.ts'
import { VerificationRunner } from './verification-runner.ts'

function runnerOf({ storage, clock }: CheckedDomains, dns: Dns): VerificationRunner {
  return new VerificationRunner({ domains: storage.control.domains, dns, clock })
}

/** DNS that gives the same answer to every query, once `answer` is called. */
function openSlowDns() {
  const asked = Promise.withResolvers<void>()
  const answered = Promise.withResolvers<TxtAnswer>()
  const dns = createToldDns(() => {
    asked.resolve()
    return answered.promise
  })
  return { dns, asked: asked.promise, answer: answered.resolve }
}

test('a check that ends in an outage leaves a domain verified that another check has verified meanwhile', async () => {
  await using domains = await openCheckedDomains()
  const { id } = await domains.add('example.com', UNVERIFIED)
  const slow = openSlowDns()
  const checking = runnerOf(domains, slow.dns).recheck(id)
  await slow.asked
  domains.publish(await domains.find(id))
  assert.equal((await runnerOf(domains, domains.dns).verify({ domainId: id })).isVerified, true)
  slow.answer({ kind: 'unreachable', reason: 'SERVFAIL' })
  await checking
  const { isVerified, isApproved } = await domains.find(id)
  assert.deepEqual([isVerified, isApproved], [true, true])
})

test('a failure that another check has recorded meanwhile counts as the first of two', async () => {
  await using domains = await openCheckedDomains()
  const { id } = await domains.add('example.com', VERIFIED)
  const slow = openSlowDns()
  const checking = runnerOf(domains, slow.dns).recheck(id)
  await slow.asked
  await runnerOf(domains, domains.dns).recheck(id)
  const failing = await domains.find(id)
  assert.deepEqual([failing.isVerified, failing.failingSinceMs], [true, domains.clock()])
  domains.advance(FAILING_GRACE_MS)
  slow.answer({ kind: 'no_such_name' })
  await checking
  const { isVerified, failingSinceMs } = await domains.find(id)
  assert.deepEqual([isVerified, failingSinceMs], [false, undefined])
})
