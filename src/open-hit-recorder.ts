/** Opens the recorder of opens and clicks with its journal in the data folder. */
import { join } from 'node:path'
import type { Logger } from 'pino'
import { tracking } from './connectors/tracking/tracking.ts'
import type { Metrics } from './http/observation/metrics.ts'
import { openJournal } from './lib/journal.ts'
import type { Service } from './open-service.ts'
import { eraseHits, HitRecorder } from './tracking/hit-recorder.ts'

/** Below the data folder. */
const FOLDER = 'tracking'

/** Resumes with the hits that an earlier process left in the journal. */
export async function openHitRecorder(service: Service, metrics: Metrics, logger: Logger): Promise<HitRecorder> {
  const { config, storage, clock, retention: knownTime, serviceMessageIdField } = service
  const { domains, quarantine, keys } = storage.control
  const { retentionMs, trackMachines: machines } = config
  const recorder = new HitRecorder({
    journal: await openJournal(join(config.dataDir, FOLDER)),
    ingest: { log: storage.log, domains, quarantine, keys, clock, knownTime, retentionMs, serviceMessageIdField },
    connector: tracking,
    machines,
    logger,
    onIngested: (result) => metrics.countIngest(tracking.name, result),
  })
  await recorder.resume()
  return recorder
}

/** For a data folder without a running server. */
export async function eraseHitsOnDisk(dataDir: string, address: string): Promise<number> {
  const journal = await openJournal(join(dataDir, FOLDER))
  try {
    return await eraseHits(journal, address)
  } finally {
    await journal.close()
  }
}
