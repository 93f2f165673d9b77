import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { formatDuration, parseDuration } from './duration.ts'

describe('a duration', () => {
  test('is read in each of the five units', () => {
    assert.equal(parseDuration('500ms'), 500)
    assert.equal(parseDuration('30s'), 30_000)
    assert.equal(parseDuration('15m'), 900_000)
    assert.equal(parseDuration('36h'), 129_600_000)
    assert.equal(parseDuration('90d'), 7_776_000_000)
  })

  for (const text of ['', '90', 'd', '-1d', '1.5h', '90 d', '90D', '1w', '1d12h', '1e3s', '9999999999999999d']) {
    test(`is refused as ${JSON.stringify(text)}`, () => {
      assert.throws(() => parseDuration(text), /is not a duration/)
    })
  }

  test('is written in its largest whole unit, and reads back as the same length', () => {
    for (const text of ['1ms', '1500ms', '59s', '90s', '1m', '36h', '90d']) {
      assert.equal(formatDuration(parseDuration(text)), text)
    }
    assert.equal(formatDuration(parseDuration('24h')), '1d')
    assert.equal(formatDuration(0), '0ms')
  })
})
