import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { tallyJson } from './json-tally.ts'

function count(value: unknown, isCounted: (value: unknown) => boolean): number {
  const inside = typeof value === 'object' && value !== null ? Object.entries(value) : []
  return inside.reduce(
    (sum, [name, item]) => sum + count(item, isCounted) + (Array.isArray(value) ? 0 : Number(isCounted(name))),
    Number(isCounted(value)),
  )
}

test('delimiting quotes are counted at any alignment of the text, escaped quotes are not', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.nat(9), fc.nat(9), (value, before, after) => {
      const text = JSON.stringify(value)
      const bytes = Buffer.from(`${'"'.repeat(before)}${text}${'"'.repeat(after)}`)
      const { quotes } = tallyJson(bytes.subarray(before, bytes.length - after))
      assert.equal(quotes, 2 * count(value, (item) => typeof item === 'string'))
    }),
  )
})

test('quotes after any number of backslashes are classified correctly', () => {
  for (const text of ['"\\""', '"\\\\"', '"\\\\\\""', '"\\\\\\\\"', '"\\u005c"']) {
    assert.equal(tallyJson(Buffer.from(text)).quotes, 2, text)
  }
})

test('no count overflows in a long text', () => {
  for (const [character, quotes, brackets] of [
    ['"', 1, 0],
    ['{', 0, 1],
    ['[', 0, 1],
    [';', 0, 0],
    ['û', 0, 0],
  ] as const) {
    const bytes = Buffer.from(character.repeat(10_007))
    assert.deepEqual(tallyJson(bytes), { quotes: quotes * 10_007, brackets: brackets * 10_007 })
  }
})
