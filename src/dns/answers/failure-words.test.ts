import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RCODE } from '../wire/message.ts'
import { findServerFailure, isMute, joinFailures, toFailedAnswer } from './failure-words.ts'

const MESSAGE = { id: 1, isResponse: true, isAuthoritative: false, isTruncated: false, answers: [] }

function failureOf(rcode: number, ...extendedErrors: number[]) {
  return findServerFailure({ ...MESSAGE, rcode, authorities: [], additionals: [], extendedErrors })
}

test('the extended errors of RFC 8914 about signatures are named, and no others', () => {
  const codes = Array.from({ length: 30 }, (_, code) => code)
  const named = codes.filter((code) => failureOf(RCODE.SERVFAIL, code)?.detail?.includes('DNSSEC'))
  // Bogus, expired, not yet valid, DNSKEY missing, RRSIGs missing, NSEC missing.
  assert.deepEqual(named, [6, 7, 8, 9, 10, 12])
  assert.ok(failureOf(RCODE.SERVFAIL, 0, 7)?.detail)
})

test('presence and absence are statements; every other code is a failure with its name or number', () => {
  for (const rcode of [RCODE.NOERROR, RCODE.NXDOMAIN]) assert.equal(failureOf(rcode, 6), undefined)
  assert.deepEqual(failureOf(RCODE.SERVFAIL), { failure: 'servfail' })
  assert.deepEqual(failureOf(RCODE.REFUSED), { failure: 'refused' })
  for (const [rcode, detail] of [
    [1, 'FORMERR'],
    [4, 'NOTIMP'],
    [9, 'NOTAUTH'],
    [16, 'BADVERS'],
    [11, 'code 11'],
  ] as const) {
    assert.deepEqual(failureOf(rcode), { failure: 'error', detail })
  }
})

test('a failure without any reply is mute; every other one is not', () => {
  const failures = ['silent', 'unreachable', 'cancelled', 'servfail', 'refused', 'error', 'malformed'] as const
  const mute = failures.filter((failure) => isMute(toFailedAnswer('the server', { failure })))
  assert.deepEqual(mute, ['silent', 'unreachable', 'cancelled'])
})

test('several failures have all reasons, and the code of the first or of the chosen one', () => {
  const refused = toFailedAnswer('A', { failure: 'refused' })
  const failed = toFailedAnswer('B', { failure: 'error', detail: 'NOTIMP' })
  assert.equal(refused.reason, 'A refused the query (REFUSED)')
  assert.equal(failed.reason, 'B answered with an error: NOTIMP')
  const reason = `${refused.reason}; ${failed.reason}`
  assert.deepEqual(joinFailures([refused, failed]), { ...refused, reason })
  assert.deepEqual(joinFailures([refused, failed], failed), { ...failed, reason })
  assert.deepEqual(joinFailures([]), {
    kind: 'unreachable',
    failure: 'unreachable',
    reason: 'no DNS server is configured',
    aliases: [],
  })
})
