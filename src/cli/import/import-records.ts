/** Sends the records of one source batch by batch, and keeps count. */
import type { IngestAnswer } from '../client/client.ts'
import type { Source } from '../files/open-source.ts'
import type { SplitRecord } from './record-splitter.ts'

/** A large batch is one commit: several times faster than many small ones. */
const BATCH_RECORDS = 5000
const BATCH_BYTES = 8 * 1024 * 1024
const SHOWN_REJECTIONS = 10

interface Rejection {
  readonly file: string
  readonly line: number
  readonly error: string
}

export interface ImportCounts {
  stored: number
  duplicates: number
  rejected: number
  /** The first few. */
  readonly rejections: Rejection[]
}

/** Splits the content of a source into records. */
export interface Splitter {
  push(chunk: Buffer): readonly SplitRecord[]
  /** The records that the end of the source completes. */
  end(): readonly SplitRecord[]
  /** After the end: why the source seems to have another format. */
  findMistake?(): string | undefined
}

export async function importRecords(
  send: (records: readonly Buffer[]) => Promise<IngestAnswer>,
  source: Source,
  counts: ImportCounts,
  splitter: Splitter,
): Promise<void> {
  /** One batch is stored while the next one is read. */
  let storing: Promise<void> = Promise.resolve()
  const store = async (batch: readonly SplitRecord[]) => {
    const result = await send(batch.map(({ bytes }) => bytes))
    counts.stored += result.stored
    counts.duplicates += result.duplicates
    counts.rejected += result.rejected.length
    for (const { index, error } of result.rejected) {
      if (counts.rejections.length >= SHOWN_REJECTIONS) break
      counts.rejections.push({ file: source.name, line: batch[index]?.line ?? 0, error })
    }
  }
  try {
    for await (const batch of batches(source.chunks, splitter)) {
      await storing
      storing = store(batch)
      // Awaited when the next batch is ready; a failure before that must not count as unhandled.
      storing.catch(() => undefined)
    }
  } finally {
    await storing
  }
}

async function* batches(chunks: AsyncIterable<Buffer>, splitter: Splitter): AsyncGenerator<readonly SplitRecord[]> {
  let batch: SplitRecord[] = []
  let bytes = 0
  function* add(records: readonly SplitRecord[]) {
    for (const record of records) {
      if (batch.length > 0 && (batch.length >= BATCH_RECORDS || bytes + record.bytes.length > BATCH_BYTES)) {
        yield batch
        batch = []
        bytes = 0
      }
      batch.push(record)
      bytes += record.bytes.length
    }
  }
  try {
    for await (const chunk of chunks) yield* add(splitter.push(chunk))
    yield* add(splitter.end())
  } finally {
    // Complete records before the break of a stream are worth keeping: importing again finds them as duplicates.
    if (batch.length > 0) yield batch
  }
}
