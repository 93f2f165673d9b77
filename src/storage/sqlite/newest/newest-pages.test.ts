import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { toEventRow } from '../writing/event-row.ts'
import type { AddedEvent, DomainChanges } from './domain-changes.ts'
import { NewestPages, type PositionedEvent } from './newest-pages.ts'
import { countCharacters } from './row-text.ts'

const DOMAIN = 7

function open(charactersMax?: number): NewestPages {
  return new NewestPages('service_message_id', charactersMax)
}

function events(...timestamps: number[]): readonly PositionedEvent[] {
  return timestamps.map((timestamp, index) => ({
    position: { timestamp, arrival: 100 - index },
    text: `event ${timestamp}`,
  }))
}

function keep(
  pages: NewestPages,
  domain: number,
  events: readonly PositionedEvent[],
  completeFrom: number,
  limit = 50,
): void {
  using reading = pages.read(domain, 'interface', limit)
  pages.keep(reading, { events, completeFrom })
}

function find(pages: NewestPages, startTimestamp: number, endTimestamp: number, limit: number, domain = DOMAIN) {
  return pages.find({ number: domain, name: 'a.test' }, 'interface', { startTimestamp, endTimestamp }, limit)
}

/** Events of the domain that were committed. */
function added(...timestamps: number[]): DomainChanges {
  return new Map([[DOMAIN, timestamps.map((timestamp, at) => toAdded(timestamp, 200 + at))]])
}

function toAdded(timestamp: number, arrival: number): AddedEvent {
  const event = { id: 'm', timestamp, type: 'Delivery', domain_name: 'a.test', recipient: 'u@b.test' } as const
  const row = toEventRow({ domainNumber: DOMAIN, event })
  return { position: { timestamp, arrival }, row, characters: countCharacters(row) }
}

/** These domains have changed, how is not known. */
function changed(...domains: number[]): DomainChanges {
  return new Map(domains.map((domain) => [domain, undefined]))
}

/** The timestamps of a page; undefined if it is not known. */
function timesOf(page: ReturnType<typeof find>): readonly number[] | undefined {
  return page?.events.map((text) => Number(/event (\d+)|"timestamp":(\d+)/.exec(text)?.slice(1).join('')))
}

describe('cached events are used for', () => {
  const pages = open()
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
    assert.equal(find(pages, 0, 100, 2, 8), undefined)
  })

  test('everything, if the domain has no more events since the start of the window', () => {
    const whole = open()
    keep(whole, DOMAIN, events(50, 40), 10)
    assert.deepEqual(find(whole, 10, 100, 50), { events: ['event 50', 'event 40'] })
    assert.deepEqual(find(whole, 11, 45, 50), { events: ['event 40'] })
    assert.equal(find(whole, 9, 100, 50), undefined)
  })
})

describe('an event that was added to a domain', () => {
  test('is in its page in order, and the oldest has no place any more', () => {
    const pages = open()
    keep(pages, DOMAIN, events(50, 40, 30), Number.POSITIVE_INFINITY, 2)
    pages.learn(added(60))
    assert.deepEqual(timesOf(find(pages, 0, 100, 2)), [60, 50])
    pages.learn(added(45, 70))
    assert.deepEqual(timesOf(find(pages, 0, 100, 2)), [70, 60])
    assert.deepEqual(timesOf(find(pages, 55, 100, 2)), [70, 60])
    assert.equal(find(pages, 45, 65, 2), undefined, 'what was cut off may be in the window')
  })

  test('is after others of its second if it arrived before them', () => {
    const pages = open()
    keep(pages, DOMAIN, events(50, 50), 0)
    pages.learn(new Map([[DOMAIN, [toAdded(50, 1), toAdded(50, 99), toAdded(50, 300)]]]))
    assert.equal(find(pages, 0, 100, 50)?.events.length, 4, 'one of them is known already')
    assert.deepEqual(find(pages, 0, 100, 3)?.next, '50.99')
  })

  test('that is older than the page has a place in it only if nothing can be in between', () => {
    const cut = open()
    keep(cut, DOMAIN, events(50, 40), Number.POSITIVE_INFINITY, 1)
    cut.learn(added(30))
    assert.deepEqual(timesOf(find(cut, 0, 100, 1)), [50])
    assert.equal(find(cut, 0, 45, 1), undefined)

    const whole = open()
    keep(whole, DOMAIN, events(50, 40), 20, 3)
    whole.learn(added(30, 10))
    assert.deepEqual(timesOf(find(whole, 20, 100, 50)), [50, 40, 30])
    assert.equal(find(whole, 10, 100, 50), undefined)
    whole.learn(added(25))
    whole.learn(added(24))
    assert.equal(find(whole, 20, 100, 50), undefined, 'the page is full')
  })

  test('fills an empty page', () => {
    const pages = open()
    keep(pages, DOMAIN, [], 10)
    assert.deepEqual(find(pages, 10, 100, 50), { events: [] })
    pages.learn(added(50))
    assert.deepEqual(timesOf(find(pages, 10, 100, 50)), [50])
  })
})

test('an unknown change of a domain drops the page of that domain only', () => {
  const pages = open()
  keep(pages, DOMAIN, events(50), 0)
  pages.learn(changed(1, 2, 3))
  assert.ok(find(pages, 0, 100, 50))
  pages.learn(changed(1, DOMAIN))
  assert.equal(find(pages, 0, 100, 50), undefined)
})

test('events that were read before a change are kept if the change is known', () => {
  const pages = open()
  for (const [change, expected] of [
    [() => pages.learn(changed(1, 2)), [50]],
    [() => pages.learn(added(60, 40)), [60, 50, 40]],
    // It was read after the commit, which is reported later.
    [() => pages.learn(new Map([[DOMAIN, [toAdded(50, 100)]]])), [50]],
    [() => pages.learn(changed(1, DOMAIN)), undefined],
    [() => pages.clear(), undefined],
  ] as const) {
    pages.clear()
    using reading = pages.read(DOMAIN, 'interface', 50)
    change()
    pages.keep(reading, { events: events(50), completeFrom: 0 })
    assert.deepEqual(timesOf(find(pages, 0, 100, 50)), expected)
  }
})

test('more events than a page has, added while it is read, leave it incomplete', () => {
  const pages = open()
  using reading = pages.read(DOMAIN, 'interface', 1)
  pages.learn(added(60, 70, 80))
  pages.keep(reading, { events: events(50), completeFrom: 0 })
  assert.deepEqual(timesOf(find(pages, 0, 100, 1)), [80])
  assert.equal(find(pages, 0, 70, 1), undefined)
})

test('the least recently used pages are evicted', () => {
  const pages = open(20)
  keep(pages, 1, events(50), 0)
  keep(pages, 2, events(50), 0)
  assert.ok(find(pages, 0, 100, 50, 1))
  keep(pages, 3, events(50), 0)
  assert.deepEqual(
    [1, 2, 3].map((domain) => find(pages, 0, 100, 50, domain) !== undefined),
    [true, false, true],
  )
})

test('pages that grow by what is added are evicted as well', () => {
  const { row } = toAdded(50, 1)
  const pages = open(20 * countCharacters(row))
  keep(pages, 1, [], 0)
  keep(pages, DOMAIN, [], 0)
  for (let second = 0; second < 20; second++) pages.learn(added(second))
  assert.ok(find(pages, 0, 100, 50))
  // As texts they take less than as rows.
  for (let second = 20; second < 25; second++) pages.learn(added(second))
  assert.ok(find(pages, 0, 100, 50))
  for (let second = 25; second < 50; second++) pages.learn(added(second))
  assert.equal(find(pages, 0, 100, 50), undefined)
})

test('some tens of megabytes are kept, unless another bound is given', () => {
  const pages = open()
  const text = 'x'.repeat(2 ** 20)
  for (let domain = 1; domain <= 41; domain++) {
    keep(pages, domain, [{ position: { timestamp: 50, arrival: 1 }, text }], 0)
  }
  assert.deepEqual(
    [1, 2, 41].map((domain) => find(pages, 0, 100, 1, domain)?.events.length),
    [undefined, 1, 1],
  )
})

describe('the bound is of exactly what is kept', () => {
  const bound = 100_000
  const row = countCharacters(toAdded(50, 1).row)
  const text = (page: ReturnType<typeof find>) => page?.events.reduce((sum, { length }) => sum + length, 0) ?? 0

  /** `prepare` returns the characters that there should be. */
  const cases: Readonly<Record<string, (pages: NewestPages) => number>> = {
    'of a page that was read again'(pages) {
      for (const _ of [1, 2]) keep(pages, DOMAIN, events(50, 40), 0)
      return 16
    },
    'after everything was dropped'(pages) {
      keep(pages, DOMAIN, events(50, 40, 30), 0)
      pages.clear()
      keep(pages, DOMAIN, events(50), 0)
      return 8
    },
    'of a page that has grown'(pages) {
      keep(pages, DOMAIN, events(50), 0)
      pages.learn(added(60, 70))
      return 8 + 2 * row
    },
    'of a full page, from which the oldest was removed'(pages) {
      keep(pages, DOMAIN, events(50, 40, 30), 0, 2)
      pages.learn(added(60))
      return 16 + row
    },
    'of rows that have become texts'(pages) {
      keep(pages, DOMAIN, [], 0)
      pages.learn(added(60, 70))
      find(pages, 0, 100, 50)
      return text(find(pages, 0, 100, 50))
    },
    'of a page in which texts of rows were removed'(pages) {
      keep(pages, DOMAIN, [], 0, 1)
      pages.learn(added(50, 60))
      const texts = text(find(pages, 60, 100, 1))
      find(pages, 0, 55, 1)
      pages.learn(added(70))
      return texts + row
    },
  }
  for (const [name, prepare] of Object.entries(cases)) {
    test(name, () => {
      for (const excess of [0, 1]) {
        const pages = open(bound)
        const characters = prepare(pages)
        const rest = 'x'.repeat(bound - characters + excess)
        keep(pages, DOMAIN + 1, [{ position: { timestamp: 50, arrival: 1 }, text: rest }], 0)
        assert.equal(find(pages, 70, 70, 1) !== undefined, excess === 0, `${characters}`)
      }
    })
  }
})

test('the text of an event is written once, with the name of the field that the brand has', () => {
  const pages = new NewestPages('brand_id')
  const event = { id: 'm', timestamp: 50, type: 'Delivery', domain_name: 'a.test', recipient: 'u@b.test' } as const
  const row = toEventRow({ domainNumber: DOMAIN, event: { ...event, service_message_id: 's-1' } })
  keep(pages, DOMAIN, [], 0)
  pages.learn(new Map([[DOMAIN, [{ position: { timestamp: 50, arrival: 1 }, row, characters: 1 }]]]))
  const [text = ''] = find(pages, 0, 100, 1)?.events ?? []
  assert.match(text, /"domain_name":"a.test".*"brand_id":"s-1"/)
  const window = { startTimestamp: 0, endTimestamp: 100 }
  assert.deepEqual(pages.find({ number: DOMAIN, name: 'b.test' }, 'interface', window, 1)?.events, [text])
})

test('a change of a domain is one of all kinds of its texts, and of no other domain', () => {
  for (const shown of ['interface', 'attempts', 'sending'] as const) {
    const pages = open()
    using reading = pages.read(DOMAIN, shown, 50)
    pages.learn(changed(DOMAIN - 1, DOMAIN + 1))
    assert.equal(reading.isOutdated, false)
    pages.learn(changed(DOMAIN))
    assert.equal(reading.isOutdated, true)
  }
})
