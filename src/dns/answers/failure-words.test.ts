import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RCODE } from '../wire/message.ts'
import { findServerFailure } from './failure-words.ts'

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
