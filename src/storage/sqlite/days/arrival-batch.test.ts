import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ArrivalBatch, readArrivalBatch } from './arrival-batch.ts'

test('added events are read back in order, numbered from the first', () => {
  const event = fc.record({ secondOfDay: fc.nat(86_399), domain: fc.nat(2 ** 40) })
  fc.assert(
    fc.property(fc.array(event), fc.nat(), (events, first) => {
      const batch = new ArrivalBatch()
      for (const { secondOfDay, domain } of events) batch.add(secondOfDay, domain)
      assert.equal(batch.isEmpty, events.length === 0)
      const read = [...readArrivalBatch(first, batch.toBytes())]
      assert.deepEqual(
        read,
        events.map((added, index) => ({ ...added, arrival: first + index })),
      )
    }),
  )
})

test('live traffic of one domain takes two bytes an event', () => {
  const batch = new ArrivalBatch()
  for (let second = 1; second <= 1000; second++) batch.add(second, 7)
  assert(batch.toBytes().length <= 2001)
})
