/** Sends the records of one source batch by batch, and keeps count. */
import type { LeftOutCounts } from '../../connectors/maillog/left-out.ts'
import type { IngestAnswer } from '../client/client.ts'
import { addAnswer, type SendCounts, toBatches } from '../client/send-counts.ts'
import type { Source } from '../files/open-source.ts'
import type { SplitRecord } from './record-splitter.ts'

const SHOWN_REJECTIONS = 10

interface Rejection {
  readonly file: string
  readonly line: number
  readonly error: string
}

export interface ImportCounts extends SendCounts {
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
  /** What the source has beyond the records. */
  readonly leftOut?: LeftOutCounts
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
    addAnswer(counts, result)
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
  let waiting: readonly SplitRecord[] = []
  try {
    for await (const chunk of chunks) {
      const found = toBatches([...waiting, ...splitter.push(chunk)], ({ bytes }) => bytes)
      waiting = found.at(-1) ?? []
      yield* found.slice(0, -1)
    }
    waiting = [...waiting, ...splitter.end()]
  } finally {
    // Complete records before the break of a stream are worth keeping: importing again finds them as duplicates.
    yield* toBatches(waiting, ({ bytes }) => bytes)
  }
}
