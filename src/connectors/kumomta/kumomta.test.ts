import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { createKnowledge } from '../../classification/knowledge.ts'
import { AppError } from '../../lib/app-error.ts'
import { recordConnectorContract } from '../shared/record-connector.contract.ts'
import { createKumomta, whyLeftOut } from './kumomta.ts'

const FOLDER = join(import.meta.dirname, 'testdata')
const kumomta = createKumomta(createKnowledge())

describe('KumoMTA', () => recordConnectorContract(kumomta, FOLDER, { whyLeftOut, recipientsOf }))

/** A complaint is about one recipient, whoever the report was sent to. */
function recipientsOf(record: unknown): number {
  const { type, recipient } = record as Readonly<Record<string, unknown>>
  if (type === 'Feedback') return 1
  return Array.isArray(recipient) ? recipient.filter((item) => typeof item === 'string').length : 1
}

test('records are left out for a few reasons only', () => {
  const reasonFor = (fields: object) => whyLeftOut({ type: 'Delivery', ...fields })
  for (const type of ['Rejection', 'AdminRebind', 'DeferredInjectionRebind', 'XferOut', 'XferIn'])
    assert.match(reasonFor({ type }) ?? '', /message/)
  assert.match(reasonFor({ reception_protocol: 'LogRecord' }) ?? '', /own traffic/)
  const feedback = (type: unknown) => reasonFor({ type: 'Feedback', feedback_report: { feedback_type: type } })
  for (const type of ['not-spam', 'auth-failure']) assert.match(feedback(type) ?? '', /not a complaint/)
  for (const type of ['abuse', 'fraud', 'virus', 'other', 'opt-out', '', undefined, 7])
    assert.equal(feedback(type), undefined)
  for (const record of [{}, { type: 'Bounce' }, { type: 'Unheard', reception_protocol: 'LogRecord' }, null, 'x', []])
    assert.equal(whyLeftOut(record), undefined)
})

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
