import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Resource } from '../wire/message.ts'
import { findAlias, findNegativeTtl, findRecordSet } from './record-values.ts'

const NAME = 'a.test'

function text(value: string, ttlSeconds: number, name = NAME): Resource {
  return { name, type: 'TXT', ttlSeconds, data: { text: value, strings: [value] } }
}

function alias(target: string, ttlSeconds: number): Resource {
  return { name: NAME, type: 'CNAME', ttlSeconds, data: { target } }
}

function soa(ttlSeconds: number, minimumSeconds: number): Resource {
  return { name: 'test', type: 'SOA', ttlSeconds, data: { primary: 'p', mailbox: 'm', serial: 1, minimumSeconds } }
}

test('the records of a name and type are found, duplicates once, with the lowest TTL', () => {
  const resources = [text('x', 60), text('y', 30), text('x', 60), text('z', 10, 'b.test'), alias('c.test', 5)]
  assert.deepEqual(findRecordSet(resources, NAME, 'TXT'), {
    records: [
      { text: 'x', strings: ['x'] },
      { text: 'y', strings: ['y'] },
    ],
    values: ['x', 'y'],
    ttlSeconds: 30,
  })
  assert.equal(findRecordSet(resources, NAME, 'A'), undefined)
  assert.equal(findRecordSet(resources, 'c.test', 'TXT'), undefined)
})

test('an alias answers a query for any type but its own', () => {
  assert.deepEqual(findAlias([text('x', 60), alias('c.test', 5)], NAME, 'TXT'), { target: 'c.test', ttlSeconds: 5 })
  assert.equal(findAlias([alias('c.test', 5)], NAME, 'CNAME'), undefined)
  assert.equal(findAlias([text('x', 60)], NAME, 'TXT'), undefined)
})

test('absence may be cached for the TTL of the SOA or its minimum, whichever is less', () => {
  assert.equal(findNegativeTtl([alias('c.test', 5), soa(300, 60)]), 60)
  assert.equal(findNegativeTtl([soa(30, 60)]), 30)
  assert.equal(findNegativeTtl([alias('c.test', 5)]), undefined)
})
