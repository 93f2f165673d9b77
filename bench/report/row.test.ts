import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { judge } from './row.ts'

describe('a row', () => {
  test('of a query compares the time of the peer with ours, so that more is better', () => {
    assert.deepEqual(judge('newest', 0.2, 0.6), {
      name: 'newest',
      unit: 'ms',
      ours: 0.2,
      peer: 0.6,
      ratio: 3,
      target: '>= 3',
      met: true,
    })
    assert.equal(judge('newest', 0.2, 0.59).met, false)
  })

  test('of bytes is met at the fraction that its target names and not above', () => {
    assert.equal(judge('disk', 100, 350).met, true)
    assert.equal(judge('disk', 101, 350).met, false)
  })

  test('with a plain limit is not compared with another figure', () => {
    const { peer, ratio, met } = judge('memory', 350, null)
    assert.deepEqual({ peer, ratio, met }, { peer: null, ratio: null, met: true })
    assert.equal(judge('memory', 351, null).met, false)
  })

  test('with a condition is not met unless that holds', () => {
    assert.equal(judge('short_needle', 10, 50, true).met, true)
    assert.equal(judge('short_needle', 10, 50, false).met, false)
  })
})
