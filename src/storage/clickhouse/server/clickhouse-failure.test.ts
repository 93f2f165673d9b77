import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { describeCauses } from '../../../http/observation/request-log.ts'
import { AppError } from '../../../lib/app-error.ts'
import { BudgetError } from './clickhouse.ts'
import { exceptionCodeOf, failureKindOf, toThrown } from './clickhouse-failure.ts'

const STATEMENT = "SELECT key FROM event_all_2 WHERE recipient LIKE '%anna@example.org%'"
/** As old and current versions write them. */
const MESSAGES = [
  `Code: 47, e.displayText() = DB::Exception: Unknown identifier: rest, e.what() = DB::Exception: ${STATEMENT}`,
  `Code: 60. DB::Exception: Unknown table expression identifier 'event_all_2' in scope ${STATEMENT}. (UNKNOWN_TABLE)`,
  `Code: 62. DB::Exception: Syntax error: failed at position 60 ('%anna@example.org%'): 'anna@example.org'. Expected one of`,
  `Code: 241. DB::Exception: Memory limit exceeded: While executing MergeTree 'anna@example.org. (MEMORY_LIMIT_EXCEEDED)`,
]

describe('a failure of ClickHouse', () => {
  for (const message of MESSAGES) {
    test(`is logged without values of the statement: ${message.slice(0, 50)}`, () => {
      const logged = JSON.stringify(describeCauses(toThrown(new Error(message))))
      assert.doesNotMatch(logged, /anna|example/)
      assert.match(logged, /Code: \d+\. DB::Exception: \w/)
    })
  }

  test('keeps its code, however often it is thrown', () => {
    const again = toThrown(toThrown(new Error(MESSAGES[0])))
    assert.equal(exceptionCodeOf(again), 47)
    assert.equal(failureKindOf(again), 'bug')
  })

  test('another server is asked unless the statement or the account is to blame', () => {
    const kindOf = (code: number) => failureKindOf(new Error(`Code: ${code}. DB::Exception: x`))
    for (const code of [33, 40, 60, 173, 209, 271, 319, 667, 722, 1000, 1001, 99_999]) {
      assert.equal(kindOf(code), 'unavailable', String(code))
    }
    for (const code of [46, 47, 62, 193, 497, 516]) assert.equal(kindOf(code), 'bug', String(code))
    for (const code of [158, 159, 307]) assert.equal(kindOf(code), 'budget', String(code))
    for (const code of [242, 289, 999]) assert.equal(kindOf(code), 'strict', String(code))
    for (const code of [202, 241, 252]) assert.equal(kindOf(code), 'overloaded', String(code))
  })

  test('is for the caller what it means to them', () => {
    const thrownFor = (code: number) => toThrown(new Error(`Code: ${code}. DB::Exception: x`))
    const codeFor = (code: number) => (thrownFor(code) as AppError).code
    assert.ok(thrownFor(159) instanceof BudgetError)
    assert.equal(codeFor(241), 'overloaded')
    assert.equal(codeFor(40), 'storage_unavailable')
    assert.ok(!(thrownFor(62) instanceof AppError))
  })
})
