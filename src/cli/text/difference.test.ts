import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { markDifference, shown } from './difference.ts'
import type { Paint } from './paint.ts'

const paint: Paint = (style, text) => `<${style}>${text}</${style}>`

describe('the difference between expected and found', () => {
  test('is marked in both, and described in words', () => {
    assert.deepEqual(markDifference('v=spf1 include:a ~all', 'v=spf1 mx ~all', paint), {
      expected: 'v=spf1 <green>include:a</green> ~all',
      found: 'v=spf1 <red>mx</red> ~all',
      remark: 'differs from character 8: expected "include:a ~all", found "mx ~all"',
    })
  })

  test('of a value that is cut off is its missing end', () => {
    assert.deepEqual(markDifference('abcdef', 'abc', paint), {
      expected: 'abc<green>def</green>',
      found: 'abc',
      remark: 'differs from character 4: expected "def", found nothing more',
    })
  })

  test('of a value with something repeated does not overlap itself', () => {
    const { expected, found } = markDifference('aa', 'aaa', paint) ?? {}
    assert.equal(expected, 'aa')
    assert.equal(found, 'aa<red>a</red>')
  })

  test('is none where they are the same', () => {
    assert.equal(markDifference('same', 'same', paint), undefined)
  })

  test('does not let a stranger write to the terminal, and shows long values whole', () => {
    assert.equal(shown('a\u001b[31mb'), 'a\\u{1b}[31mb')
    assert.equal(markDifference('a', 'a\u0007', paint)?.found, 'a<red>\\u{7}</red>')
    assert.equal(shown('x'.repeat(5000)).length, 5000)
  })
})
