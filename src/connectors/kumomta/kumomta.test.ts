import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { createKnowledge } from '../../classification/knowledge.ts'
import { AppError } from '../../lib/app-error.ts'
import { recordConnectorContract } from '../shared/record-connector.contract.ts'
import { createKumomta } from './kumomta.ts'

const FOLDER = join(import.meta.dirname, 'testdata')
const kumomta = createKumomta(createKnowledge())

describe('KumoMTA', () => recordConnectorContract(kumomta, FOLDER))

test('any record becomes events or is rejected', () => {
  const samples = globSync('*.in.json', { cwd: FOLDER })
    .toSorted()
    .map((name) => JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as Record<string, unknown>)
  const names = [...new Set(samples.flatMap((sample) => Object.keys(sample)))]
  const mutated = fc
    .tuple(fc.constantFrom(...samples), fc.dictionary(fc.constantFrom(...names), fc.jsonValue(), { maxKeys: 4 }))
    .map(([sample, changes]) => ({ ...sample, ...changes }))
  fc.assert(
    fc.property(fc.oneof(mutated, fc.jsonValue()), (record) => {
      try {
        kumomta.toEvents(record)
      } catch (error) {
        assert.ok(error instanceof AppError && error.code === 'invalid_payload')
      }
    }),
    { numRuns: 5000 },
  )
})
