/** Follows a feed: what it gives is interpreted, stored, and only then is the place that was reached written down. */
import { setTimeout as delay } from 'node:timers/promises'
import { AppError } from '../../lib/app-error.ts'
import type { Change, Checkpoint } from './checkpoint.ts'
import type { Destination } from './destination.ts'
import type { Feed, Report } from './feed.ts'

/** Turns lines into records; what has to be remembered for the next lines is part of the place. */
export interface Interpreter {
  interpret(lines: readonly Buffer[]): { readonly records: readonly Buffer[]; readonly changes: readonly Change[] }
}

export interface TailOptions {
  readonly feed: Feed
  readonly interpreter: Interpreter
  /** The dialect of the records. */
  readonly connector: string
  readonly destination: Destination
  readonly checkpoint: Checkpoint
  /** Ends when there is nothing more for now. */
  readonly isOnce: boolean
  readonly signal: AbortSignal
  readonly report: Report
  readonly wait?: (timeMs: number, signal: AbortSignal) => Promise<void>
}

export interface TailCounts {
  stored: number
  duplicates: number
  rejected: number
}

const POLL_MS = 500
const RETRY_MS_MIN = 1000
const RETRY_MS_MAX = 60_000
/** A request has to stay below what a server takes. */
const BATCH_RECORDS = 5000
const BATCH_BYTES = 6 * 1024 * 1024

/** Resolves when it was told to stop, or has reached the end. */
export async function runTail(options: TailOptions): Promise<TailCounts> {
  const { feed, interpreter, checkpoint, isOnce, signal, wait = sleep } = options
  const counts: TailCounts = { stored: 0, duplicates: 0, rejected: 0 }
  while (!signal.aborted) {
    const portion = await feed.next()
    if (!portion) {
      if (isOnce || feed.hasEnded) break
      await wait(POLL_MS, signal)
      continue
    }
    const { records, changes } = interpreter.interpret(portion.lines)
    if (!(await sendAll(options, records, counts))) break
    await insist(options, async () => checkpoint.commit([...portion.changes, ...changes]))
  }
  return counts
}

/** False when it was told to stop before everything was stored. */
async function sendAll(options: TailOptions, records: readonly Buffer[], counts: TailCounts): Promise<boolean> {
  for (const batch of batches(records)) {
    if (!(await insist(options, () => send(options, batch, counts)))) return false
  }
  return true
}

async function send(options: TailOptions, batch: readonly Buffer[], counts: TailCounts): Promise<void> {
  const { destination, connector, signal, report } = options
  const { stored, duplicates, rejected } = await destination.send(connector, batch, signal)
  counts.stored += stored
  counts.duplicates += duplicates
  counts.rejected += rejected.length
  if (rejected.length > 0) {
    const more = rejected.length === 1 ? '' : ` (and ${rejected.length - 1} more)`
    report(`A record was rejected and is kept: ${rejected[0]}${more}`)
  }
}

/** Until it succeeds, however long that takes: nothing may be lost. False when it was told to stop before that. */
async function insist({ signal, report, wait = sleep }: TailOptions, work: () => Promise<void>): Promise<boolean> {
  for (let pauseMs = RETRY_MS_MIN; ; pauseMs = Math.min(pauseMs * 2, RETRY_MS_MAX)) {
    try {
      await work()
      return true
    } catch (error) {
      if (!isPassing(error)) throw error
      if (signal.aborted) return false
      report(`${error.message}. Trying again in ${pauseMs / 1000} s.`)
      await wait(pauseMs, signal)
    }
  }
}

function isPassing(error: unknown): error is AppError {
  return error instanceof AppError && (error.code === 'storage_unavailable' || error.code === 'overloaded')
}

function* batches(records: readonly Buffer[]): Generator<readonly Buffer[]> {
  let batch: Buffer[] = []
  let bytes = 0
  for (const record of records) {
    if (batch.length > 0 && (batch.length >= BATCH_RECORDS || bytes + record.length > BATCH_BYTES)) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(record)
    bytes += record.length
  }
  if (batch.length > 0) yield batch
}

/** Over at once when it was told to stop. */
async function sleep(timeMs: number, signal: AbortSignal): Promise<void> {
  await delay(timeMs, undefined, { signal }).catch(() => undefined)
}
