/** Batches of records that fit a request, and what became of them. */
import {
  addCounts,
  isLoss,
  LEFT_OUT_REASONS,
  type LeftOutCounts,
  type LeftOutReason,
} from '../../connectors/maillog/left-out.ts'
import { formatCount } from '../text/text-table.ts'
import type { IngestAnswer } from './client.ts'

/** A large batch is one commit: several times faster than many small ones. Below the server's limit. */
const BATCH_RECORDS = 5000
const BATCH_BYTES = 6 * 1024 * 1024

export interface SendCounts {
  stored: number
  duplicates: number
  rejected: number
  /** Neither stored nor rejected by the server, such as mail of unknown domains with `--skip-unknown-domains`. */
  skipped?: number
  /** Outcomes of a log that are not events; they were not sent. */
  left_out?: LeftOutCounts
}

/** The last batch may have room for more. */
export function toBatches<T>(records: readonly T[], bytesOf: (record: T) => Buffer): readonly (readonly T[])[] {
  const batches: T[][] = []
  let bytes = Number.POSITIVE_INFINITY
  for (const record of records) {
    const { length } = bytesOf(record)
    bytes += length
    if (bytes > BATCH_BYTES || batches.at(-1)?.length === BATCH_RECORDS) {
      batches.push([])
      bytes = length
    }
    batches.at(-1)?.push(record)
  }
  return batches
}

export function addAnswer(counts: SendCounts, { stored, duplicates, rejected, skipped = 0 }: IngestAnswer): void {
  counts.stored += stored
  counts.duplicates += duplicates
  counts.rejected += rejected.length
  if (skipped > 0) counts.skipped = (counts.skipped ?? 0) + skipped
}

export function addLeftOut(counts: SendCounts, leftOut: LeftOutCounts): void {
  if (Object.keys(leftOut).length === 0) return
  counts.left_out ??= {}
  addCounts(counts.left_out, leftOut)
}

/** Outcomes that should have become events. */
export function countLosses({ left_out: leftOut = {} }: SendCounts): number {
  return reasonsOf(leftOut)
    .filter(isLoss)
    .reduce((sum, reason) => sum + (leftOut[reason] ?? 0), 0)
}

/** Losses first. */
function reasonsOf(leftOut: LeftOutCounts): readonly LeftOutReason[] {
  return (Object.keys(LEFT_OUT_REASONS) as LeftOutReason[]).filter((reason) => leftOut[reason] !== undefined)
}

export function describeLeftOut(reason: LeftOutReason, count: number): string {
  const what = isLoss(reason) ? 'left out' : 'left out on purpose'
  return `${formatCount(count, 'outcome')} ${what}: ${LEFT_OUT_REASONS[reason]}.`
}

/** Everything that was read: nothing is left out without a line here. */
export function describeAll(counts: SendCounts): string {
  const { skipped, left_out: leftOut = {} } = counts
  const lines = [describeCounts(counts)]
  if (skipped !== undefined)
    lines.push(
      `${formatCount(skipped, 'record')} skipped: mail of unknown domains, or not about the delivery of a message.`,
    )
  for (const reason of reasonsOf(leftOut)) lines.push(describeLeftOut(reason, leftOut[reason] ?? 0))
  return lines.join('\n')
}

export function describeCounts({ stored, duplicates, rejected }: SendCounts, begin = 'Stored'): string {
  return `${begin} ${formatCount(stored, 'event')}; ${formatCount(duplicates, 'was', 'were')} already stored; ${formatCount(rejected, 'record')} rejected.`
}
