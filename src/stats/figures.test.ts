import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { EVENT_TYPES } from '../events/event.ts'
import { COUNTER_OF_TYPE } from './domain-counts.ts'
import { FIGURE_IDS, FIGURES, listFigures, toFigureCount, typesOfFigures } from './figures.ts'

test('every event is counted by exactly one figure', () => {
  const counted = listFigures().flatMap(({ types }) => types)
  assert.deepEqual(counted.toSorted(), EVENT_TYPES.toSorted())
  assert.deepEqual(typesOfFigures(FIGURE_IDS), EVENT_TYPES)
})

test('a failed attempt counts as deferred, and the notice that its message is waiting does not', () => {
  const keys = ['TransientFailure', 'Delayed'].map((key) => toFigureCount({ hour: 1, key, count: 2 }))
  assert.deepEqual(keys, [
    { hour: 1, key: 'deferred', count: 2 },
    { hour: 1, key: 'delayed', count: 2 },
  ])
})

test('the counters of the interface count the same events as the figures', () => {
  const counters = { delivery: FIGURES.delivered, bounce: FIGURES.bounced, reception: FIGURES.received }
  for (const [counter, { types }] of Object.entries(counters)) {
    assert.deepEqual(
      EVENT_TYPES.filter((type) => COUNTER_OF_TYPE[type] === counter),
      types,
    )
  }
})

test('a share is at most 100 %, unless its events can be of earlier deliveries', () => {
  const shares = listFigures().filter(({ shareOf }) => shareOf.length > 0)
  const ofOthers = shares.filter(({ id, shareOf }) => !shareOf.includes(id))
  assert.deepEqual(
    ofOthers.map(({ id }) => id),
    ['late_bounces', 'complaints'],
  )
})

test('the documentation has the definition of every figure', () => {
  const text = readFileSync(join(import.meta.dirname, '../../docs/api-v1.md'), 'utf8')
  for (const { id, types, meaning } of listFigures()) {
    const row = `| \`${id}\` | ${types.map((type) => `\`${type}\``).join(', ')} | ${meaning} |\n`
    assert(text.includes(row), row)
  }
})
