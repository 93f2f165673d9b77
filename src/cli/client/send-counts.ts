/** Batches of records that fit a request, and what became of them. */
import { formatCount } from '../text/text-table.ts'
import type { IngestAnswer } from './client.ts'

/** A large batch is one commit: several times faster than many small ones. Below the server's limit. */
const BATCH_RECORDS = 5000
const BATCH_BYTES = 6 * 1024 * 1024

export interface SendCounts {
  stored: number
  duplicates: number
  rejected: number
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

export function addAnswer(counts: SendCounts, { stored, duplicates, rejected }: IngestAnswer): void {
  counts.stored += stored
  counts.duplicates += duplicates
  counts.rejected += rejected.length
}

export function describeCounts({ stored, duplicates, rejected }: SendCounts, begin = 'Stored'): string {
  return `${begin} ${formatCount(stored, 'event')}; ${formatCount(duplicates, 'was', 'were')} already stored; ${formatCount(rejected, 'record')} rejected.`
}
