import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { KnownSpans, LONGEST_SPAN, longerSpan, shorterSpan, spanFor, spanStart } from './search-spans.ts'

const DOMAIN = { number: 7, name: 'a.test' }
const OTHER = { number: 8, name: 'b.test' }

describe('spans of a search', () => {
  test('begin with two hours, and from then on with what sufficed for the same domains and filters', () => {
    const spans = new KnownSpans()
    const search = { domains: [DOMAIN], filters: {} }
    assert.equal(spans.find(search, 51), 7200)
    spans.learn(search, 2)
    assert.equal(spans.find(search, 50), 150)
    for (const another of [
      { domains: [OTHER], filters: {} },
      { domains: [DOMAIN, OTHER], filters: {} },
      { domains: [DOMAIN], filters: { recipient: 'a' } },
    ]) {
      assert.equal(spans.find(another, 50), 7200)
    }
  })

  test('are forgotten before they take much memory', () => {
    const spans = new KnownSpans()
    const first = { domains: [DOMAIN], filters: {} }
    spans.learn(first, 2)
    for (let number = 1000; number < 20_000; number++) {
      spans.learn({ domains: [{ number, name: '' }], filters: { subject: 'x'.repeat(500) } }, 1)
    }
    assert.equal(spans.find(first, 50), 7200)
  })

  test('are those of the beginning of a very long search', () => {
    const spans = new KnownSpans()
    const search = (end: string) => ({ domains: [DOMAIN], filters: { subject: `${'x'.repeat(500)}${end}` } })
    spans.learn(search('a'), 2)
    assert.equal(spans.find(search('b'), 50), 150)
  })

  test('grow by what is missing, within limits', () => {
    assert.equal(longerSpan(100, 25, 50, false), 300)
    assert.equal(longerSpan(100, 1, 5000, false), 3600)
    assert.equal(longerSpan(100, 0, 50, false), 3600)
    assert.equal(longerSpan(100, 0, 50, true), 600)
    assert.equal(longerSpan(100, 60, 50, false), 200)
    assert.equal(longerSpan(LONGEST_SPAN, 0, 50, false), LONGEST_SPAN)
  })

  test('are whole days if they are longer than a day', () => {
    const DAY = 86_400
    const evening = 100 * DAY + 70_000
    assert.equal(spanStart(evening, 50_000), evening - 49_999)
    assert.equal(spanStart(evening, DAY), evening - DAY + 1)
    assert.equal(spanStart(evening, DAY + 1), 99 * DAY)
    assert.equal(spanStart(evening, 2.5 * DAY), 98 * DAY)
    assert.ok(spanStart(evening, LONGEST_SPAN) <= 0)
    // Less of a margin, because a part of a day is added.
    assert.equal(spanFor(50, 1000), 75_000)
    assert.equal(spanFor(50, 3456), 190_081)
  })

  test('shrink to one second', () => {
    assert.equal(shorterSpan(7200), 1200)
    assert.equal(shorterSpan(3), 1)
    assert.equal(shorterSpan(1), 1)
    assert.equal(spanFor(50, 0.001), 1)
  })
})
