import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EVENT_TYPES } from '../../events/event.ts'
import { writeKind } from '../series.ts'
import { KindCounts } from './kind-counts.ts'

const NAMES = 30_000
const REAL = { figure: 'bounced', group: 'Hotnet', classification: 'PolicyBlock' } as const

function toKey(provider: string, classification: string): string {
  return writeKind(EVENT_TYPES.indexOf('Bounce'), provider, classification)
}

test('thousands of invented providers do not hide the failures of a real one, whichever is counted first', () => {
  for (const isFirst of [true, false]) {
    const counts = new KindCounts(0, 2)
    const addReal = () => counts.add({ hour: 0, key: toKey(REAL.group, REAL.classification), count: 100 })
    if (isFirst) addReal()
    for (let at = 0; at < NAMES; at++) counts.add({ hour: at % 2, key: toKey(`A${at}`, `c${at}`), count: 1 })
    if (!isFirst) addReal()
    assert.ok(counts.isCut)
    assert.ok(counts.listKinds().length <= 10_000, `${counts.listKinds().length} kinds`)
    assert.deepEqual(counts.of(REAL).counts, [100, 0])
    assert.deepEqual(counts.ofAll('bounced').counts, [NAMES / 2 + 100, NAMES / 2])
  }
})
