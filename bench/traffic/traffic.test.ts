import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { EVENT_TYPES } from '../../src/events/event.ts'
import { generateTraffic, PROFILES, TrafficCount, trafficWindow } from './traffic.ts'

const SOME_TIME = Date.UTC(2026, 5, 17, 13) / 1000
const WEEK_SECONDS = 7 * 86_400
const EVENTS = 40_000

const window = trafficWindow(SOME_TIME)
const events = [...generateTraffic(1, EVENTS, window)]

describe('the mail of the benchmark', () => {
  test('has exactly the requested number of events, sorted by time', () => {
    assert.equal(events.length, EVENTS)
    for (const [index, event] of events.entries()) {
      assert.ok(event.timestamp >= (events[index - 1]?.timestamp ?? window.startTimestamp))
    }
  })

  test('spans fifteen days that end before a Monday', () => {
    assert.equal(new Date((window.endTimestamp + 1) * 1000).toUTCString(), 'Mon, 15 Jun 2026 00:00:00 GMT')
    assert.equal(window.endTimestamp + 1 - window.startTimestamp, 15 * 86_400)
    assert.ok((events.at(-1)?.timestamp ?? 0) > window.endTimestamp - 86_400)
  })

  test('is the same in another week but for the dates', () => {
    const later = [...generateTraffic(1, 100, trafficWindow(SOME_TIME + WEEK_SECONDS))]
    for (const [index, { timestamp, recipient }] of [...generateTraffic(1, 100, window)].entries()) {
      assert.equal(later[index]?.timestamp, timestamp + WEEK_SECONDS)
      assert.equal(later[index]?.recipient, recipient)
    }
  })

  test('has about 2.1 events per message, 600 bytes per event, every type, and few complaints', () => {
    const count = new TrafficCount()
    for (const event of events) count.add(event, Buffer.byteLength(JSON.stringify(event)))
    const { eventsPerMessage, bytesPerEvent, shares } = count.summary()
    assert.ok(eventsPerMessage > 2 && eventsPerMessage < 2.2)
    assert.ok(bytesPerEvent > 550 && bytesPerEvent < 680)
    assert.deepEqual(new Set(Object.keys(shares)), new Set(EVENT_TYPES))
    assert.ok((shares.Feedback ?? 0) > 0.02 && (shares.Feedback ?? 0) < 0.1)
  })

  test('comes from a thousand domains, the busiest of which has its share of a Zipf distribution', () => {
    assert.equal(new Set(PROFILES.map(({ domainName }) => domainName)).size, 1000)
    const busiest = events.filter((event) => event.domain_name === PROFILES[0]?.domainName).length
    assert.ok(busiest / EVENTS > 0.12 && busiest / EVENTS < 0.15)
  })
})
