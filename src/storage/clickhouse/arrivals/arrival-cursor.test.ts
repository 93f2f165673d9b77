import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { AppError } from '../../../lib/app-error.ts'
import { advance, formatCursor, parseCursor, toCursor } from './arrival-cursor.ts'

describe('a position in the order of arrival', () => {
  test('is one number as long as no shard is behind', () => {
    const cursor = toCursor({ next: 120, unfinished: new Map() }, 4)
    assert.equal(formatCursor(cursor), 'a120')
    assert.deepEqual(parseCursor('a120', 4), [120, 120, 120, 120])
  })

  test('keeps where each unfinished shard begins', () => {
    const cursor = toCursor({ next: 120, unfinished: new Map([[1, 90]]) }, 3)
    assert.deepEqual(cursor, [120, 90, 120])
    assert.equal(formatCursor(cursor), 'a120.3.1-90')
  })

  test('comes back from its text unchanged', () => {
    const number = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER })
    fc.assert(
      fc.property(fc.array(number, { minLength: 1, maxLength: 20 }), (cursor) => {
        assert.deepEqual(parseCursor(formatCursor(cursor), cursor.length), cursor)
      }),
    )
  })

  test('advances no further than what is stored of each shard, and never goes back', () => {
    assert.deepEqual(advance([10, 10, 50], 30, [100, 20, 100]), [30, 20, 50])
    assert.deepEqual(advance([10, 10], 5, [100, 100]), [10, 10])
    assert.deepEqual(advance([10, 10], 30, [5, 100]), [10, 30])
  })

  test('of another number of shards repeats events instead of leaving some out', () => {
    assert.deepEqual(parseCursor('a120.3.1-90.2-100', 2), [90, 90])
    assert.deepEqual(parseCursor('a120', 2), [120, 120])
  })

  test('may have ten thousand characters', () => {
    assert.deepEqual(parseCursor(`a7.2${'.1-1'.repeat(2499)}`, 2), [7, 1])
  })

  test('that was not made by this engine is refused', () => {
    const texts = [
      '',
      '120',
      'a',
      'a-1',
      'a1.2',
      'a1.2.',
      'a1.2.3',
      'a1.2.3-',
      'a1.x.3-4',
      `a${'9'.repeat(16)}`,
      'a1 ',
      'c1.2',
      `a1.2.1-${'9'.repeat(16)}`,
      `a11.2${'.1-1'.repeat(2499)}`,
    ]
    for (const text of [...texts, `a1.2${'.1-1'.repeat(10_000)}`]) {
      assert.throws(
        () => parseCursor(text, 2),
        (error) => error instanceof AppError && error.code === 'invalid_cursor',
        text,
      )
    }
  })
})
