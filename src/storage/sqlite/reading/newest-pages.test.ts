import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { NewestPages, type PositionedEvent } from './newest-pages.ts'

const DOMAIN = 7

function events(...timestamps: number[]): readonly PositionedEvent[] {
  return timestamps.map((timestamp, index) => ({
    position: { timestamp, arrival: 100 - index },
    text: `event ${timestamp}`,
  }))
}

function keep(pages: NewestPages, domain: number, events: readonly PositionedEvent[], completeFrom: number): void {
  using reading = pages.read(domain)
  pages.keep(reading, { events, completeFrom })
}

function find(pages: NewestPages, startTimestamp: number, endTimestamp: number, limit: number, domain = DOMAIN) {
  return pages.find(domain, { startTimestamp, endTimestamp }, limit)
}

function commit(...domains: number[]) {
  const counts = domains.map((domain) => [domain, 0, 1] as const)
  const arrivals = { arrivalBefore: 0, arrival: 1 }
  return { day: '2026-01-01', ...arrivals, counts, codes: [], messageIds: [], committedAtMs: 0, storedAtMs: 0 }
}

describe('cached events are used for', () => {
  const pages = new NewestPages()
  keep(pages, DOMAIN, events(50, 40, 30, 20), Number.POSITIVE_INFINITY)

  test('a page of it, with the position to continue from', () => {
    const page = find(pages, 0, 100, 2)
    assert.deepEqual(page, { events: ['event 50', 'event 40'], next: '40.99', searchedTo: 40 })
  })

  test('a window within it, both ends included', () => {
    assert.deepEqual(find(pages, 30, 40, 50), { events: ['event 40', 'event 30'] })
    assert.deepEqual(find(pages, 51, 60, 50), { events: [] })
  })

  test('nothing that may continue beyond it', () => {
    assert.equal(find(pages, 0, 100, 4), undefined)
    assert.equal(find(pages, 10, 30, 50), undefined)
    assert.equal(pages.find(8, { startTimestamp: 0, endTimestamp: 100 }, 2), undefined)
  })

  test('everything, if the domain has no more events since the start of the window', () => {
    const whole = new NewestPages()
    keep(whole, DOMAIN, events(50, 40), 10)
    assert.deepEqual(find(whole, 10, 100, 50), { events: ['event 50', 'event 40'] })
    assert.deepEqual(find(whole, 11, 45, 50), { events: ['event 40'] })
    assert.equal(find(whole, 9, 100, 50), undefined)
  })
})

test('a new event of a domain drops the page of that domain only', () => {
  const pages = new NewestPages()
  keep(pages, DOMAIN, events(50), 0)
  pages.learn([commit(1, 2, 3)])
  assert.ok(find(pages, 0, 100, 50))
  pages.learn([commit(1, DOMAIN)])
  assert.equal(find(pages, 0, 100, 50), undefined)
})

test('events that were read before a change of their domain are not kept after it', () => {
  const pages = new NewestPages()
  for (const [change, isKept] of [
    [() => pages.learn([commit(1, 2)]), true],
    [() => pages.learn([commit(1, DOMAIN)]), false],
    [() => pages.clear(), false],
  ] as const) {
    pages.clear()
    using reading = pages.read(DOMAIN)
    change()
    pages.keep(reading, { events: events(50), completeFrom: 0 })
    assert.equal(find(pages, 0, 100, 50) !== undefined, isKept)
  }
})

test('the least recently used pages are evicted', () => {
  const pages = new NewestPages(20)
  keep(pages, 1, events(50), 0)
  keep(pages, 2, events(50), 0)
  assert.ok(find(pages, 0, 100, 50, 1))
  keep(pages, 3, events(50), 0)
  assert.deepEqual(
    [1, 2, 3].map((domain) => find(pages, 0, 100, 50, domain) !== undefined),
    [true, false, true],
  )
})
