import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { packCounts, unpackCounts } from './packed-counts.ts'

test('counts arrive as they were sent', () => {
  const count = fc.nat({ max: Number.MAX_SAFE_INTEGER })
  const counts = fc.record({ bounce: count, delivery: count, reception: count, changedAtMs: count })
  const byDomain = fc.uniqueArray(fc.tuple(count, counts), { selector: ([domain]) => domain })
  fc.assert(
    fc.property(byDomain, (entries) => {
      const sent = structuredClone(packCounts(new Map(entries.map(([domain, one]) => [domain, { ...one }]))))
      assert.deepEqual(
        [...unpackCounts(sent)],
        entries.map(([domain, one]) => [domain, { ...one }]),
      )
    }),
  )
})
