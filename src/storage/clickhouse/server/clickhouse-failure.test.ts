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

/** As they are called in ClickHouse's ErrorCodes.cpp. */
const CODES = {
  budget: { TOO_MANY_ROWS: 158, TIMEOUT_EXCEEDED: 159, TOO_MANY_BYTES: 307 },
  overloaded: {
    TOO_MANY_SIMULTANEOUS_QUERIES: 202,
    MEMORY_LIMIT_EXCEEDED: 241,
    TOO_MANY_PARTS: 252,
    DEADLOCK_AVOIDED: 473,
  },
  strict: { NO_ZOOKEEPER: 225, TABLE_IS_READ_ONLY: 242, REPLICA_IS_NOT_IN_QUORUM: 289, KEEPER_EXCEPTION: 999 },
  bug: {
    CANNOT_PARSE_TEXT: 6,
    NOT_FOUND_COLUMN_IN_BLOCK: 10,
    DUPLICATE_COLUMN: 15,
    NO_SUCH_COLUMN_IN_TABLE: 16,
    NUMBER_OF_COLUMNS_DOESNT_MATCH: 20,
    CANNOT_PARSE_QUOTED_STRING: 26,
    CANNOT_PARSE_INPUT_ASSERTION_FAILED: 27,
    BAD_ARGUMENTS: 36,
    CANNOT_PARSE_DATETIME: 41,
    NUMBER_OF_ARGUMENTS_DOESNT_MATCH: 42,
    ILLEGAL_TYPE_OF_ARGUMENT: 43,
    ILLEGAL_COLUMN: 44,
    UNKNOWN_FUNCTION: 46,
    UNKNOWN_IDENTIFIER: 47,
    NOT_IMPLEMENTED: 48,
    UNKNOWN_TYPE: 50,
    TYPE_MISMATCH: 53,
    TABLE_ALREADY_EXISTS: 57,
    SYNTAX_ERROR: 62,
    CANNOT_CONVERT_TYPE: 70,
    CANNOT_PARSE_NUMBER: 72,
    UNKNOWN_FORMAT: 73,
    DATABASE_ALREADY_EXISTS: 82,
    UNKNOWN_SETTING: 115,
    INCORRECT_DATA: 117,
    INCOMPATIBLE_COLUMNS: 122,
    READONLY: 164,
    MULTIPLE_EXPRESSIONS_FOR_ALIAS: 179,
    ILLEGAL_AGGREGATION: 184,
    UNKNOWN_USER: 192,
    WRONG_PASSWORD: 193,
    REQUIRED_PASSWORD: 194,
    IP_ADDRESS_NOT_ALLOWED: 195,
    NOT_AN_AGGREGATE: 215,
    CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN: 349,
    NO_COMMON_TYPE: 386,
    SETTING_CONSTRAINT_VIOLATION: 452,
    UNKNOWN_QUERY_PARAMETER: 456,
    BAD_QUERY_PARAMETER: 457,
    ACCESS_DENIED: 497,
    AUTHENTICATION_FAILED: 516,
  },
} as const

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
    for (const code of [0, 33, 40, 60, 173, 209, 210, 271, 319, 667, 722, 1000, 1001, 99_999]) {
      assert.equal(kindOf(code), 'unavailable', String(code))
    }
    for (const [kind, codes] of Object.entries(CODES)) {
      for (const [name, code] of Object.entries(codes)) assert.equal(kindOf(code), kind, name)
    }
  })

  test('of the network is known by its code: nothing was sent, or it is not known', () => {
    const kindOf = (code: unknown) => failureKindOf(Object.assign(new Error('x'), { code }))
    for (const code of ['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN', 'EADDRNOTAVAIL']) {
      assert.equal(kindOf(code), 'refused', code)
    }
    for (const code of ['ECONNRESET', 'ETIMEDOUT', undefined, 62]) assert.equal(kindOf(code), 'unavailable')
    assert.equal(failureKindOf('Code: 62. DB::Exception: x'), 'unavailable')
  })

  test('has the code that the client has read, or that is at the beginning of the message', () => {
    const codeOf = (message: string, code?: unknown) => exceptionCodeOf(Object.assign(new Error(message), { code }))
    assert.equal(codeOf('x', '241'), 241)
    assert.equal(codeOf('Code: 62. x', '241'), 241)
    assert.equal(codeOf('Code: 62. x', 'ECONNRESET'), 62)
    assert.equal(codeOf('Code: 62. x', 241), 62)
    assert.equal(codeOf('Poco::Exception. Code: 1000, e.code() = 111, Connection refused'), 1000)
    assert.equal(codeOf('Failed. Code: 62'), undefined)
    assert.equal(codeOf('x', 'A62'), undefined)
    assert.equal(exceptionCodeOf({ code: '62', message: 'Code: 62' }), undefined)
  })

  test('is logged by the beginning of its message, at most 500 characters of it', () => {
    const messageOf = (message: string) => {
      const thrown = toThrown(new Error(message)) as Error
      return ((thrown.cause as Error | undefined) ?? thrown).message
    }
    assert.equal(messageOf('Code: 62. DB::Exception: Odd  in query: SELECT 1'), 'Code: 62. DB::Exception: Odd')
    assert.equal(messageOf('Code: 1000, e.displayText() = a'), 'Code: 1000. a')
    assert.equal(messageOf(`Code: 1001. ${'x'.repeat(600)}`).length, 'Code: 1001. '.length + 500)
  })

  test('is for the caller what it means to them', () => {
    const thrownFor = (code: number) => toThrown(new Error(`Code: ${code}. DB::Exception: x`))
    const codeFor = (code: number) => (thrownFor(code) as AppError).code
    assert.ok(thrownFor(159) instanceof BudgetError)
    assert.equal(codeFor(241), 'overloaded')
    assert.equal(codeFor(40), 'storage_unavailable')
    assert.ok(!(thrownFor(62) instanceof AppError))
    assert.equal(codeFor(289), 'storage_unavailable')
    assert.equal(
      (toThrown(Object.assign(new Error('x'), { code: 'ECONNREFUSED' })) as AppError).code,
      'storage_unavailable',
    )
    const refusal = new AppError('overloaded', 'x')
    assert.equal(toThrown(refusal), refusal)
  })
})
