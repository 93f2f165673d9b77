/** Follows a feed: its lines are interpreted and stored, and only then is the new position saved. */
import { setTimeout as delay } from 'node:timers/promises'
import { isLoss, type LeftOutCounts, type LeftOutReason } from '../../connectors/maillog/left-out.ts'
import { AppError, type ErrorCode } from '../../lib/app-error.ts'
import type { Change, Checkpoint } from '../../storage/sqlite/database/tail-checkpoint.ts'
import type { Client } from '../client/client.ts'
import { addAnswer, addLeftOut, describeLeftOut, type SendCounts, toBatches } from '../client/send-counts.ts'
import type { Feed, Report } from './feeds/feed.ts'

/** Turns lines into records. What it has to remember for the next lines is saved with the position. */
export interface Interpreter {
  interpret(lines: readonly Buffer[]): Interpretation
}

export interface Interpretation {
  readonly records: readonly Buffer[]
  readonly changes: readonly Change[]
  readonly leftOut?: LeftOutCounts
}

export interface TailOptions {
  readonly feed: Feed
  readonly interpreter: Interpreter
  /** The dialect of the records. */
  readonly connector: string
  readonly destination: Pick<Client, 'ingest' | 'release'>
  readonly checkpoint: Checkpoint
  /** End when there is nothing more for now. */
  readonly isOnce: boolean
  readonly signal: AbortSignal
  readonly report: Report
  readonly wait?: (timeMs: number, signal: AbortSignal) => Promise<void>
}

const POLL_MS = 500
/** Empty polls after which the data folder is released: reopening it at every poll would cost more than holding it. */
const POLLS_BEFORE_RELEASE = 3
const RETRY_MS_MIN = 1000
const RETRY_MS_MAX = 60_000

/** Resolves when it is stopped or has reached the end. */
export async function runTail(options: TailOptions): Promise<SendCounts> {
  const { feed, interpreter, destination, checkpoint, isOnce, signal, wait = sleep } = options
  const counts: SendCounts = { stored: 0, duplicates: 0, rejected: 0 }
  let emptyPolls = 0
  while (!signal.aborted) {
    const portion = await feed.next()
    if (!portion) {
      if (isOnce || feed.hasEnded) break
      emptyPolls += 1
      if (emptyPolls === POLLS_BEFORE_RELEASE) await insist(options, () => destination.release())
      await wait(POLL_MS, signal)
      continue
    }
    emptyPolls = 0
    const { records, changes, leftOut = {} } = interpreter.interpret(portion.lines)
    if (!(await sendAll(options, records, counts))) break
    await insist(options, async () => checkpoint.commit([...portion.changes, ...changes]))
    noteLeftOut(options, counts, leftOut)
  }
  return counts
}

/** Reports losses as they happen: the first one, then whenever their number has another digit. */
function noteLeftOut({ report }: TailOptions, counts: SendCounts, leftOut: LeftOutCounts): void {
  const before = { ...counts.left_out }
  addLeftOut(counts, leftOut)
  for (const [reason, count] of Object.entries(counts.left_out ?? {}) as [LeftOutReason, number][]) {
    const isTenfold = String(count).length > String(before[reason] ?? '').length
    if (isLoss(reason) && isTenfold) report(describeLeftOut(reason, count))
  }
}

/** False if it was stopped before everything was stored. */
async function sendAll(options: TailOptions, records: readonly Buffer[], counts: SendCounts): Promise<boolean> {
  for (const batch of toBatches(records, (record) => record)) {
    if (!(await insist(options, () => send(options, batch, counts)))) return false
  }
  return true
}

async function send(options: TailOptions, batch: readonly Buffer[], counts: SendCounts): Promise<void> {
  const { destination, connector, signal, report } = options
  const answer = await destination.ingest(connector, batch, signal)
  addAnswer(counts, answer)
  const { rejected } = answer
  if (rejected.length > 0) {
    const more = rejected.length === 1 ? '' : ` (and ${rejected.length - 1} more)`
    report(`A record was rejected and quarantined: ${rejected[0]?.error}${more}`)
  }
}

/** Retries until it succeeds: nothing may be lost. False if it was stopped before that. */
async function insist({ signal, report, wait = sleep }: TailOptions, work: () => Promise<void>): Promise<boolean> {
  for (let pauseMs = RETRY_MS_MIN; ; pauseMs = Math.min(pauseMs * 2, RETRY_MS_MAX)) {
    try {
      await work()
      return true
    } catch (error) {
      if (!isPassing(error)) throw error
      if (signal.aborted) return false
      report(`${error.message}. Retrying in ${pauseMs / 1000} s.`)
      await wait(pauseMs, signal)
    }
  }
}

/** `rate_limited` is any 429, such as a quarantine without room: the records wait here until there is some. */
const WAITED_FOR: readonly ErrorCode[] = ['storage_unavailable', 'overloaded', 'rate_limited']

function isPassing(error: unknown): error is AppError {
  return error instanceof AppError && WAITED_FOR.includes(error.code)
}

/** Ends early when the tail is stopped. */
async function sleep(timeMs: number, signal: AbortSignal): Promise<void> {
  await delay(timeMs, undefined, { signal }).catch(() => undefined)
}
