import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MatchTally } from './match-tally.ts'

const EVENT = { timestamp: 7205, type: 'Delivery' } as const

test('a thousand values of a field are counted; events with others count, and the list is said to be cut', () => {
  const tally = new MatchTally({ fields: ['domain'], bucketSeconds: 3600 })
  for (let domain = 0; domain < 1000; domain++) tally.add(EVENT, domain)
  const [whole] = tally.finish().fields
  assert.deepEqual([whole?.values.length, whole?.isCut], [1000, false])
  tally.add(EVENT, 1000)
  tally.add(EVENT, 5)
  const { total, fields, buckets } = tally.finish()
  assert.deepEqual([fields[0]?.values.length, fields[0]?.isCut], [1000, true])
  assert.deepEqual(fields[0]?.values[0], { value: '5', count: 2 })
  assert.deepEqual([total, buckets], [1002, [{ start: 7200, type: 'Delivery', count: 1002 }]])
})
