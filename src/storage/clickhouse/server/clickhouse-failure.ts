/** Tells why a request to ClickHouse failed, by the code of its exception: the network, its load, the caller's budget, or a bug of ours. */
import { AppError } from '../../../lib/app-error.ts'
import { BudgetError } from './clickhouse.ts'

/**
 * `strict`: what is asked for is not on this replica, or ZooKeeper cannot be asked. `refused`: nothing was sent. `unavailable`: everything that
 * is not in the list, such as the network, a full disk, a damaged part, a server that starts or stops, a table that is missing because the
 * replica was replaced.
 */
export type FailureKind = 'unavailable' | 'refused' | 'strict' | 'overloaded' | 'budget' | 'bug'

const BUGS = [
  6, 10, 15, 16, 20, 26, 27, 36, 41, 42, 43, 44, 46, 47, 48, 50, 53, 57, 62, 70, 72, 73, 82, 115, 117, 122, 164, 179,
  184, 192, 193, 194, 195, 215, 349, 386, 452, 456, 457, 497, 516,
]

/** Codes of ErrorCodes.cpp; none was ever reused. */
const KINDS: readonly (readonly [FailureKind, readonly number[]])[] = [
  /** Timeout, rows, bytes. */
  ['budget', [158, 159, 307]],
  /** Too many queries, memory, too many parts, a busy table. */
  ['overloaded', [202, 241, 252, 473]],
  /** ZooKeeper absent, read-only table, not in the quorum, part of a quorum is missing, exceptions of ZooKeeper and Keeper. */
  ['strict', [225, 242, 289, 999]],
  /**
   * A statement that no server would execute (names, types, syntax, formats, settings, parameters) and an account without access: no other
   * address is tried.
   */
  ['bug', BUGS],
]
const KIND_OF_CODE = new Map(KINDS.flatMap(([kind, codes]) => codes.map((code) => [code, kind] as const)))
const CODE = /^(?:Poco::Exception\. )?Code: (\d+)/
const PREFIX = /^(?:Poco::Exception\. )?Code: \d+[., ]*(?:e\.displayText\(\) = )?/
const REFUSED = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN', 'EADDRNOTAVAIL'])
const RETRY_OVERLOADED_SECONDS = 5
/** Where the statement begins in a message, and texts in it. */
const STATEMENT =
  /(?:in scope|while processing|while executing|in query|query:|failed at position|\b(?:SELECT|INSERT|ALTER)\b)/i
const QUOTED = /'(?:[^'\\]|\\.)*'?/g
const MESSAGE_LENGTH_MAX = 500

export function failureKindOf(error: unknown): FailureKind {
  const code = exceptionCodeOf(error)
  if (code !== undefined) return KIND_OF_CODE.get(code) ?? 'unavailable'
  const { code: system } = error as { readonly code?: unknown }
  return typeof system === 'string' && REFUSED.has(system) ? 'refused' : 'unavailable'
}

/** The code of ClickHouse's exception; undefined if it was none. */
export function exceptionCodeOf(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined
  const { code } = error as { readonly code?: unknown }
  if (typeof code === 'string' && /^\d+$/.test(code)) return Number(code)
  const [, digits] = CODE.exec(error.message) ?? []
  return digits === undefined ? undefined : Number(digits)
}

/** What ClickHouse reports, without the parts that may contain values of the statement: they are addresses and searches. */
class ClickHouseException extends Error {
  override readonly name = 'ClickHouseException'
  readonly code: string

  constructor(code: number, message: string) {
    super(`Code: ${code}. ${withoutStatement(message).slice(0, MESSAGE_LENGTH_MAX)}`)
    this.code = String(code)
  }
}

function withoutStatement(message: string): string {
  const [start = ''] = message.replace(PREFIX, '').split(STATEMENT)
  return start.replace(QUOTED, '…').trim()
}

export function toThrown(thrown: unknown): unknown {
  if (thrown instanceof AppError) return thrown
  const code = exceptionCodeOf(thrown)
  const error = code === undefined ? thrown : new ClickHouseException(code, (thrown as Error).message)
  switch (failureKindOf(error)) {
    case 'bug':
      return error
    case 'budget':
      return new BudgetError('The read used up its budget', { cause: error })
    case 'overloaded':
      return new AppError('overloaded', 'The event store is overloaded. Send the same request again later.', {
        cause: error,
        retryAfterSeconds: RETRY_OVERLOADED_SECONDS,
      })
    case 'unavailable':
    case 'refused':
    case 'strict':
      return clickHouseUnavailable(error)
  }
}

export function clickHouseUnavailable(cause: unknown): AppError {
  return new AppError(
    'storage_unavailable',
    'The event store cannot be used at the moment. Send the same request again later; nothing is stored twice.',
    { cause },
  )
}
