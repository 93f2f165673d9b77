import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { EventQuery } from '../../../events/event-query.ts'
import { NewestPages, type PlacedEvent } from './newest-pages.ts'

const DOMAIN = 7

function events(...timestamps: number[]): readonly PlacedEvent[] {
  return timestamps.map((timestamp, index) => ({
    place: { timestamp, arrival: 100 - index },
    text: `event ${timestamp}`,
  }))
}

function query(startTimestamp: number, endTimestamp: number, limit: number): EventQuery {
  const filters = { startTimestamp, endTimestamp }
  return { domainNumber: DOMAIN, domainName: 'a.test', filters, limit, budgetMs: 1000 }
}

function commit(...domains: number[]) {
  const counts = domains.map((domain) => [domain, 0, 1] as const)
  const arrivals = { arrivalBefore: 0, arrival: 1 }
  return { day: '2026-01-01', ...arrivals, counts, codes: [], messageIds: [], committedAtMs: 0 }
}

describe('what is kept answers', () => {
  const pages = new NewestPages()
  pages.keep(DOMAIN, events(50, 40, 30, 20), false)

  test('a page of it, with the place to go on from', () => {
    const page = pages.find(query(0, 100, 2))
    assert.deepEqual(page, { events: ['event 50', 'event 40'], next: { timestamp: 40, arrival: 99 } })
  })

  test('a window within it, both ends included', () => {
    assert.deepEqual(pages.find(query(30, 40, 50)), { events: ['event 40', 'event 30'] })
    assert.deepEqual(pages.find(query(51, 60, 50)), { events: [] })
  })

  test('nothing that may go on beyond it', () => {
    assert.equal(pages.find(query(0, 100, 4)), undefined)
    assert.equal(pages.find(query(10, 30, 50)), undefined)
    assert.equal(pages.find({ ...query(0, 100, 2), domainNumber: 8 }), undefined)
  })

  test('everything, when the domain has no more', () => {
    const whole = new NewestPages()
    whole.keep(DOMAIN, events(50, 40), true)
    assert.deepEqual(whole.find(query(0, 100, 50)), { events: ['event 50', 'event 40'] })
    assert.deepEqual(whole.find(query(0, 45, 50)), { events: ['event 40'] })
  })
})

test('what is added to a domain drops its page and no other', () => {
  const pages = new NewestPages()
  pages.keep(DOMAIN, events(50), true)
  pages.learn([commit(1, 2, 3)])
  assert.ok(pages.find(query(0, 100, 50)))
  pages.learn([commit(1, DOMAIN)])
  assert.equal(pages.find(query(0, 100, 50)), undefined)
})

test('the pages that nobody asked for the longest make room', () => {
  const pages = new NewestPages(20)
  const find = (domainNumber: number) => pages.find({ ...query(0, 100, 50), domainNumber })
  pages.keep(1, events(50), true)
  pages.keep(2, events(50), true)
  assert.ok(find(1))
  pages.keep(3, events(50), true)
  assert.deepEqual(
    [1, 2, 3].map((domain) => find(domain) !== undefined),
    [true, false, true],
  )
})
