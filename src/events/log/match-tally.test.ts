import assert from 'node:assert/strict'
import { test } from 'node:test'
import { COUNTED_FIELDS } from './match-counts.ts'
import { MatchTally } from './match-tally.ts'

const REPLIES_MAX = 5000
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

test('every field is counted by its own value, the most frequent first; events without one are not', () => {
  const tally = new MatchTally({ fields: COUNTED_FIELDS, bucketSeconds: 3600 })
  const whole = {
    ...EVENT,
    provider_name: 'P',
    bounce_classification: 'C',
    response_code: 550,
    response_content: 'gone since 12345',
    sending_address: 'A',
    sending_source: 'S',
    sending_pool: 'O',
  }
  tally.add(EVENT, 8)
  for (const domain of [9, 7, 7]) tally.add(whole, domain)
  tally.add({ ...whole, timestamp: 3600, type: 'Bounce' }, 9)
  tally.add({ ...whole, timestamp: 7199 }, 9)
  const { total, fields, buckets, countedTo } = tally.finish(77)
  assert.deepEqual([total, countedTo], [6, 77])
  assert.deepEqual(Object.fromEntries(fields.map(({ field, values }) => [field, values.map(Object.values)])), {
    type: [
      ['Delivery', 5],
      ['Bounce', 1],
    ],
    domain: [
      ['9', 3],
      ['7', 2],
      ['8', 1],
    ],
    provider: [['P', 5]],
    classification: [['C', 5]],
    code: [['550', 5]],
    reply: [['gone since *', 5]],
    sending_address: [['A', 5]],
    sending_source: [['S', 5]],
    sending_pool: [['O', 5]],
  })
  assert.ok(fields.every(({ isNewestOnly, isCut }) => isNewestOnly && !isCut))
  assert.deepEqual(buckets, [
    { start: 7200, type: 'Delivery', count: 4 },
    { start: 3600, type: 'Bounce', count: 1 },
    { start: 3600, type: 'Delivery', count: 1 },
  ])
})

test('the replies of five thousand events are counted, of those that have one; then nothing else is left to count', () => {
  const open = (fields: ConstructorParameters<typeof MatchTally>[0]['fields']) => {
    const tally = new MatchTally({ fields, bucketSeconds: 3600 })
    for (let index = 0; index < REPLIES_MAX; index++) tally.add({ ...EVENT, response_content: 'no' }, 1)
    return tally
  }
  const tally = open(['reply'])
  assert.equal(tally.isFull, true)
  assert.equal(open(['reply', 'type']).isFull, false)
  assert.equal(new MatchTally({ fields: ['reply'], bucketSeconds: 1 }).isFull, false)
  tally.add(EVENT, 1)
  assert.equal(tally.finish().fields[0]?.isNewestOnly, false, 'one without a reply is not missing')
  tally.add({ ...EVENT, response_content: 'no' }, 1)
  const { total, fields } = tally.finish()
  assert.deepEqual(
    [total, fields],
    [
      REPLIES_MAX + 2,
      [{ field: 'reply', values: [{ value: 'no', count: REPLIES_MAX }], isCut: false, isNewestOnly: true }],
    ],
  )
  const both = open(['reply', 'type'])
  both.add({ ...EVENT, response_content: 'no' }, 1)
  assert.deepEqual(
    both.finish().fields.map(({ isNewestOnly }) => isNewestOnly),
    [true, false],
  )
})

test('values that occur as often as each other are listed in their order', () => {
  const tally = new MatchTally({ fields: ['domain'], bucketSeconds: 3600 })
  for (const domain of ['b', 'd', 'a', 'c', 'd']) tally.add(EVENT, domain)
  assert.deepEqual(
    tally.finish().fields[0]?.values.map(({ value }) => value),
    ['d', 'a', 'b', 'c'],
  )
})
