/** Use case: replays rejected records; those that succeed now leave the quarantine. */
import type { Connector } from './connector.ts'
import { type IngestDependencies, type IngestResult, ingestRecords } from './ingest-events.ts'
import type { Source } from './quarantine-room.ts'
import type { QuarantinedRecord } from './quarantine-store.ts'
import { toRawRecord } from './raw-record.ts'

const PAGE = 1000

export interface ReplayDeps extends IngestDependencies {
  readonly connectors: ReadonlyMap<string, Connector>
  /** By connector name, for sources whose records are whole messages, not records of a batch. */
  readonly intakes: ReadonlyMap<string, Intake>
}

export interface Intake {
  ingest(payload: Uint8Array, source: Source): Promise<IngestResult>
}

export interface ReplayCounts {
  readonly replayed: number
  readonly stored: number
  readonly duplicates: number
  /** Rejected again, with the current reason. */
  readonly rejected: number
}

/** As many as there were at the start: records that are rejected meanwhile, by this replay or by others, wait for the next one. */
export async function replayRejected(deps: ReplayDeps): Promise<ReplayCounts> {
  const { quarantine } = deps
  const counts = { replayed: 0, stored: 0, duplicates: 0, rejected: 0 }
  const total = await quarantine.count()
  for (let afterId = 0; counts.replayed < total; ) {
    const page = await quarantine.list({ afterId, limit: Math.min(PAGE, total - counts.replayed) })
    const last = page.at(-1)
    if (!last) break
    afterId = last.id
    const bySource = Map.groupBy(page, ({ connector, tenantId, source }) =>
      JSON.stringify([connector, tenantId, source]),
    )
    for (const records of bySource.values()) {
      const { stored, duplicates, rejected } = await replay(deps, records)
      counts.replayed += records.length
      counts.stored += stored
      counts.duplicates += duplicates
      counts.rejected += rejected
    }
  }
  return counts
}

/** Of one connector and one source. */
async function replay(
  deps: ReplayDeps,
  records: readonly QuarantinedRecord[],
): Promise<Omit<ReplayCounts, 'replayed'>> {
  const [first] = records
  const intake = deps.intakes.get(first?.connector ?? '')
  if (intake) return replayOneByOne(deps, intake, records)
  const connector = deps.connectors.get(first?.connector ?? '')
  if (!first || !connector) return { stored: 0, duplicates: 0, rejected: records.length }
  const rawRecords = records.map(({ payload }) => toRawRecord(payload))
  const { stored, duplicates, rejected } = await ingestRecords(deps, connector, rawRecords, first)
  const again = new Set(rejected.map(({ index }) => index))
  // Removed only once their events are durable.
  await deps.quarantine.remove(records.filter((_, index) => !again.has(index)).map(({ id }) => id))
  return { stored, duplicates, rejected: again.size }
}

async function replayOneByOne(
  { quarantine }: ReplayDeps,
  intake: Intake,
  records: readonly QuarantinedRecord[],
): Promise<Omit<ReplayCounts, 'replayed'>> {
  const counts = { stored: 0, duplicates: 0, rejected: 0 }
  for (const { id, payload, source } of records) {
    const { stored, duplicates, rejected } = await intake.ingest(payload, source)
    if (rejected.length === 0) await quarantine.remove([id])
    counts.stored += stored
    counts.duplicates += duplicates
    counts.rejected += rejected.length
  }
  return counts
}
