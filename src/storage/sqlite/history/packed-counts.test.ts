import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { CountsReader, packCounts, type SlotCount } from './packed-counts.ts'

const text = fc.option(fc.string({ unit: 'grapheme', maxLength: 5 }), { nil: undefined })
const slotCount: fc.Arbitrary<SlotCount> = fc.record(
  {
    slot: fc.integer({ min: 0, max: 63 }),
    type: fc.integer({ min: 0, max: 8 }),
    provider: text,
    classification: text,
    count: fc.integer({ min: 1, max: 2 ** 40 }),
  },
  { noNullPrototype: true },
)

function unpack(packed: Uint8Array): SlotCount[] | undefined {
  const reader = CountsReader.of(packed)
  if (!reader) return undefined
  const counts: SlotCount[] = []
  while (reader.next()) {
    const { slot, type, provider, classification, count } = reader
    counts.push({ slot, type, provider, classification, count })
  }
  return counts
}

test('counts are read back as they were packed, with any texts', () => {
  fc.assert(fc.property(fc.array(slotCount), (counts) => assert.deepEqual(unpack(packCounts(counts)), counts)))
})

test('a flipped bit, and missing bytes, are noticed', () => {
  const packed = packCounts([
    { slot: 1, type: 2, provider: 'Google', classification: '', count: 300 },
    { slot: 63, type: 0, provider: undefined, classification: undefined, count: 1 },
  ])
  for (let bit = 0; bit < packed.length * 8; bit++) {
    const flipped = Uint8Array.from(packed)
    flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    assert.equal(unpack(flipped), undefined)
  }
  for (let length = 0; length < packed.length; length++) {
    assert.equal(unpack(packed.slice(0, length)), undefined)
    assert.equal(unpack(new Uint8Array(length)), undefined)
  }
})
