import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contains } from './quarantine-store.ts'

test('a text is found in the payload and the reason, whatever its letter case, and through the escapes of JSON', () => {
  const record = (payload: string, reason = '') => ({ payload: Buffer.from(payload), reason })
  const found = [
    record('to Anna@B.test'),
    record('x', 'domain of ANNA@b.test'),
    record('{"to":"\\u0061nna\\u0040b.test"}'),
    record('{"to":"\\u0041NNA@b.test"}'),
  ]
  for (const each of found) assert.equal(contains(each, 'anna@B.TEST'), true, each.payload.toString())
  const others = [record('ann@b.test'), record('{"to":"\\u0062nna@b.test"}'), record('anna', '@b.test'), record('\\u')]
  for (const each of others) assert.equal(contains(each, 'anna@b.test'), false, each.payload.toString())
})
