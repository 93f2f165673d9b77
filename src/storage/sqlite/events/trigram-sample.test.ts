import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import type { Database } from '../database.ts'
import { dayOfTimestamp } from './day.ts'
import { DayFiles } from './day-files.ts'
import { DayWriters } from './day-writers.ts'
import { toEventRow } from './event-row.ts'
import { defineTextFunctions } from './text-search.ts'
import { TrigramSample, toTrigrams } from './trigram-sample.ts'

const NOON = 1_772_366_400

function openDay(messages: number) {
  const folder = openTemporaryFolder()
  const files = new DayFiles(folder.path)
  const writers = new DayWriters(files, () => false)
  const add = (from: number, to: number, subject: string) => {
    const rows = Array.from({ length: to - from }, (_, index) => {
      const event = { id: `m${from + index}`, timestamp: NOON, type: 'Delivery' as const, domain_name: 'a.test' }
      return toEventRow({ domainNumber: 1, event: { ...event, recipient: `u${from + index}@b.test`, subject } })
    })
    writers.store([rows], 0)
  }
  files.openForWriting(dayOfTimestamp(NOON), 1000).close()
  add(0, messages, 'Weekly report')
  const db = files.openForReading(dayOfTimestamp(NOON), 1000)
  defineTextFunctions(db)
  const close = () => {
    db.close()
    writers.close()
    folder[Symbol.dispose]()
  }
  return { db, add, [Symbol.dispose]: close }
}

function drawSample(db: Database, events: number): TrigramSample {
  const sample = new TrigramSample(db)
  sample.drawWhenGrown(events)
  return sample
}

test('trigrams that no sampled message has come first, spread over the text', () => {
  using day = openDay(500)
  const sample = drawSample(day.db, 500)
  const text = 'weekly abcdefghijklmnop report'
  const places = sample.rarest(toTrigrams(text), 3).map(({ trigram }) => text.indexOf(trigram))
  assert.equal(places.length, 3)
  for (const [index, place] of places.entries()) {
    assert.ok(place > 4 && place < 23, `${place} lies in what no message has`)
    assert.ok(index === 0 || place - (places[index - 1] ?? 0) >= 5, 'far apart')
  }
})

test('as many messages are sampled as are meant to be', () => {
  using day = openDay(4567)
  const sample = drawSample(day.db, 4567)
  assert.equal(sample.countWithAll(sample.rarest(['wee', 'rep'], 2)), sample.size)
  assert.equal(sample.countWithAll(sample.rarest(['wee', 'zzz'], 2)), 0)
})

test('where all are common, the least common are taken', () => {
  using day = openDay(500)
  const chosen = drawSample(day.db, 500).rarest(toTrigrams('weekly'), 2)
  assert.equal(chosen.length, 2)
})

test('a day that has grown is sampled again', () => {
  using day = openDay(100)
  const sample = drawSample(day.db, 100)
  assert.equal(sample.rarest(['wee', 'inv'], 1)[0]?.trigram, 'inv')
  day.add(100, 5000, 'Invoice')
  sample.drawWhenGrown(5000)
  assert.equal(sample.rarest(['wee', 'inv'], 1)[0]?.trigram, 'wee')
})

test('an empty day knows no trigrams and every text is as good as another', () => {
  using day = openDay(0)
  assert.equal(new TrigramSample(day.db).rarest(['abc', 'bcd'], 1)[0]?.trigram, 'abc')
})

test('a text of fewer than three characters has no trigram; an emoji counts as one', () => {
  assert.deepEqual(toTrigrams('ab'), [])
  assert.deepEqual(toTrigrams('😀b😀'), ['😀b😀'])
})
