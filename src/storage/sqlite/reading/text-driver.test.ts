import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseTextDriver, isWalkedAtOnce, SEARCH_COSTS, type TextTask } from './text-driver.ts'

const LARGE: TextTask = {
  messages: 20_000,
  candidates: 10,
  tail: 0,
  chance: 0,
  candidatesMax: 1000,
  rows: 40_000,
  costOfRow: SEARCH_COSTS.walkedRow,
  wanted: 51,
}

function choose(changes: Partial<TextTask>) {
  return chooseTextDriver({ ...LARGE, ...changes }, SEARCH_COSTS)
}

test('a text that nearly every message has is found by walking', () => {
  assert.equal(choose({ candidates: LARGE.messages }), 'walk')
  assert.equal(choose({ messages: 50, candidates: 50, rows: 100 }), 'walk')
})

test('few candidate messages are read', () => {
  assert.equal(choose({}), 'candidates')
})

test('candidates that chance explains do not make a text common', () => {
  const few = { messages: 900, candidates: 110, rows: 2000, wanted: 51 }
  assert.equal(choose({ ...few, chance: 0 }), 'walk')
  assert.notEqual(choose({ ...few, chance: 0.12 }), 'walk')
})

test('if most messages are candidates by chance, all of them are read', () => {
  assert.equal(choose({ messages: 3000, candidates: 1050, chance: 0.35, rows: 6000 }), 'scan')
})

test('one statement reads neither very many messages nor very many candidates', () => {
  assert.equal(choose({ candidates: 7000, chance: 0.35 }), 'walk')
})

test('few events are walked without determining candidates', () => {
  assert.equal(isWalkedAtOnce({ rows: 5, costOfRow: SEARCH_COSTS.indexedRow }, SEARCH_COSTS), true)
  assert.equal(isWalkedAtOnce({ rows: 500, costOfRow: SEARCH_COSTS.walkedRow }, SEARCH_COSTS), false)
})

test('messages too new to have a signature do not make a text common, nor too common to examine', () => {
  assert.equal(choose({ messages: 100_000, candidates: 0, tail: 999, rows: 200_000 }), 'candidates')
  assert.equal(choose({ candidates: 990, tail: 999, chance: 0.05 }), 'candidates')
})
