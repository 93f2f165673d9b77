import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { parsePosition } from '../reading/log-position.ts'
import { NewestList, type Positioned, pageOfNewest } from './newest-list.ts'

function at(timestamp: number, arrival = 1): Positioned {
  return { position: { timestamp, arrival } }
}

const shown = ({ position: { timestamp, arrival } }: Positioned) => `${timestamp}.${arrival}`
const ALL_TIMES = { startTimestamp: 0, endTimestamp: 1000 }

describe('the newest events of a domain', () => {
  test('are in order, each once; the oldest gives way when there are more than fit', () => {
    const list = new NewestList(3, { events: [at(20)], completeFrom: 0 })
    assert.equal(list.add(at(30)), undefined)
    assert.equal(list.add(at(20, 2)), undefined)
    const again = at(20)
    assert.equal(list.add(again), again)
    assert.deepEqual(list.events.map(shown), ['30.1', '20.2', '20.1'])
    assert.equal(list.completeFrom, 0)
    assert.equal(shown(list.add(at(25)) ?? at(0)), '20.1')
    assert.deepEqual(list.events.map(shown), ['30.1', '25.1', '20.2'])
    assert.equal(list.completeFrom, Number.POSITIVE_INFINITY)
    // Older than all: what lies in between is not known any more.
    assert.equal(shown(list.add(at(10)) ?? at(0)), '10.1')
  })

  test('take an older one only if nothing can lie in between', () => {
    const list = new NewestList(5, { events: [at(20)], completeFrom: 10 })
    assert.equal(shown(list.add(at(9)) ?? at(0)), '9.1')
    assert.equal(list.add(at(10)), undefined)
    assert.deepEqual(list.events.map(shown), ['20.1', '10.1'])
  })

  test('are cut to the length from the start; of two lists, the one that knows less decides', () => {
    const list = new NewestList(2, { events: [at(5), at(4), at(3)], completeFrom: 0 })
    assert.deepEqual([list.events.map(shown), list.completeFrom], [['5.1', '4.1'], Number.POSITIVE_INFINITY])
    const whole = new NewestList(9, { events: [at(5)], completeFrom: 2 })
    whole.addAll({ events: [at(7), at(6)], completeFrom: 1 })
    assert.deepEqual([whole.events.map(shown), whole.completeFrom], [['7.1', '6.1', '5.1'], 2])
    whole.addAll({ events: [], completeFrom: 3 })
    assert.equal(whole.completeFrom, 3)
  })
})

describe('a page of them', () => {
  const events = [at(50), at(40), at(30), at(30, 0), at(20)]
  const page = (window: { startTimestamp: number; endTimestamp: number }, limit: number, completeFrom: number) =>
    pageOfNewest({ events, completeFrom }, window, limit, shown)

  test('is cut off at the limit, with the place to continue from', () => {
    const cut = page(ALL_TIMES, 3, Number.POSITIVE_INFINITY)
    assert.deepEqual([cut?.events, cut?.searchedTo], [['50.1', '40.1', '30.1'], 30])
    assert.deepEqual(parsePosition(cut?.next ?? ''), { timestamp: 30, arrival: 1 })
  })

  test('is the last one if they are complete from the start of the window on', () => {
    assert.deepEqual(page(ALL_TIMES, 5, 0), { events: events.map(shown) })
    assert.equal(page(ALL_TIMES, 5, 1), undefined)
    assert.equal(page(ALL_TIMES, 6, Number.POSITIVE_INFINITY), undefined)
    assert.deepEqual(page({ startTimestamp: 21, endTimestamp: 40 }, 9, Number.POSITIVE_INFINITY), {
      events: ['40.1', '30.1', '30.0'],
    })
    assert.deepEqual(page({ startTimestamp: 30, endTimestamp: 39 }, 2, Number.POSITIVE_INFINITY), {
      events: ['30.1', '30.0'],
    })
  })

  test('is what a search of all events would find, whenever there is one', () => {
    const times = fc.uniqueArray(fc.integer({ min: 1, max: 40 }), { maxLength: 20 })
    const number = fc.integer({ min: 0, max: 42 })
    fc.assert(
      fc.property(times, number, number, fc.integer({ min: 1, max: 25 }), number, (all, a, b, limit, known) => {
        const sorted = all.toSorted((one, other) => other - one)
        const window = { startTimestamp: Math.min(a, b), endTimestamp: Math.max(a, b) }
        const completeFrom = known < sorted.length ? Number.POSITIVE_INFINITY : 0
        const newest = { events: sorted.slice(0, known).map((time) => at(time)), completeFrom }
        const found = pageOfNewest(newest, window, limit, ({ position }) => String(position.timestamp))
        if (!found) {
          assert.equal(completeFrom, Number.POSITIVE_INFINITY)
          return
        }
        const expected = sorted.filter((time) => time >= window.startTimestamp && time <= window.endTimestamp)
        assert.deepEqual(found.events, expected.slice(0, limit).map(String))
        assert.equal(found.next !== undefined, expected.length > limit)
      }),
    )
  })
})
