/** Brings the records of one source into the log, batch by batch, and keeps count. */
import type { Connector } from '../../events/connector.ts'
import { type IngestDependencies, ingestRecords } from '../../events/ingest-events.ts'
import { toRawRecord } from '../../events/raw-record.ts'
import type { Service } from '../../open-service.ts'
import type { Source } from './open-source.ts'
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

export function ingestDependencies({ storage, clock, config, serviceMessageIdField }: Service): IngestDependencies {
  const { events, domains, quarantine } = storage
  return { events, domains, quarantine, clock, retentionMs: config.retentionMs, serviceMessageIdField }
}

/** Cuts what a source gives into records. */
export interface Splitter {
  push(chunk: Buffer): readonly SplitRecord[]
  /** What the end of the source completes. */
  end(): readonly SplitRecord[]
  /** After the end: why the source is not what it was taken for. */
  findMistake?(): string | undefined
}

export async function importRecords(
  service: Service,
  connector: Connector,
  source: Source,
  counts: ImportCounts,
  splitter: Splitter,
): Promise<void> {
  const dependencies = ingestDependencies(service)
  /** One batch is stored while the next one is read. */
  let storing: Promise<void> = Promise.resolve()
  const store = async (batch: readonly SplitRecord[]) => {
    const result = await ingestRecords(
      dependencies,
      connector,
      batch.map(({ bytes }) => toRawRecord(bytes)),
    )
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
      // Looked at when the next batch is ready; a failure meanwhile must not count as unhandled.
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
      batch.push(record)
      bytes += record.bytes.length
      if (batch.length < BATCH_RECORDS && bytes < BATCH_BYTES) continue
      yield batch
      batch = []
      bytes = 0
    }
  }
  try {
    for await (const chunk of chunks) yield* add(splitter.push(chunk))
    yield* add(splitter.end())
  } finally {
    // What was read whole before a stream breaks off is worth keeping: importing again finds it as duplicates.
    if (batch.length > 0) yield batch
  }
}
