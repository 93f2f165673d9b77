/** Every pair of files in testdata is a record and what becomes of it: events, or the reason why it is refused. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { AppError } from '../../lib/app-error.ts'
import { createKnowledge } from '../knowledge.ts'
import { createKumomta } from './kumomta.ts'

const FOLDER = join(import.meta.dirname, 'testdata')
const kumomta = createKumomta(createKnowledge())

function readJson(name: string): unknown {
  return JSON.parse(readFileSync(join(FOLDER, name), 'utf8'))
}

function outcomeOf(record: unknown): unknown {
  try {
    return kumomta.toEvents(record)
  } catch (error) {
    if (error instanceof AppError && error.code === 'invalid_payload') return { rejected: error.message }
    throw error
  }
}

const cases = globSync('*.in.json', { cwd: FOLDER })
  .map((name) => name.replace(/\.in\.json$/, ''))
  .toSorted()

describe('a record of KumoMTA becomes the expected events', () => {
  assert.ok(cases.length >= 40)
  for (const name of cases) {
    test(name, () => assert.deepEqual(outcomeOf(readJson(`${name}.in.json`)), readJson(`${name}.out.json`)))
  }
})

test('whatever a record holds, it becomes events or is refused', () => {
  const samples = cases.map((name) => readJson(`${name}.in.json`) as Record<string, unknown>)
  const names = [...new Set(samples.flatMap((sample) => Object.keys(sample)))]
  const mutated = fc
    .tuple(fc.constantFrom(...samples), fc.dictionary(fc.constantFrom(...names), fc.jsonValue(), { maxKeys: 4 }))
    .map(([sample, changes]) => ({ ...sample, ...changes }))
  fc.assert(
    fc.property(fc.oneof(mutated, fc.jsonValue()), (record) => {
      outcomeOf(record)
    }),
    { numRuns: 5000 },
  )
})
