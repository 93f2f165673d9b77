/** `rejected replay`: tries rejected records again; what now succeeds leaves the quarantine. */
import type { Command } from 'commander'
import { ingestRecords } from '../events/ingest-events.ts'
import type { QuarantinedRecord } from '../events/quarantine-store.ts'
import type { Service } from '../open-service.ts'
import { REPORT } from '../reports/report-intake.ts'
import type { CommandRunner } from './command-runner.ts'
import { examples, PROGRAM } from './help.ts'
import { ingestDependencies } from './import/import-records.ts'
import { toRawRecord } from './import/raw-record.ts'
import { formatCount } from './text-table.ts'

const PAGE = 1000

interface ReplayCounts {
  replayed: number
  stored: number
  duplicates: number
  rejected: number
}

export function addRejectedReplay(parent: Command, runner: CommandRunner): void {
  parent
    .command('replay')
    .description('Try all rejected records again. What can be stored now is; the rest stays, with its reason of today.')
    .addHelpText('after', examples('rejected replay'))
    .action(() =>
      runner.withData(async (service) => {
        const counts = await replayAll(service)
        const rest = counts.rejected === 0 ? '' : `\nWhy: ${PROGRAM} rejected list`
        return {
          json: counts,
          text: `Tried ${formatCount(counts.replayed, 'record')}: stored ${formatCount(counts.stored, 'event')}, ${formatCount(counts.duplicates, 'duplicate')}, ${counts.rejected.toLocaleString('en-US')} still rejected.${rest}`,
        }
      }),
    )
}

/** As many as there were at the start: what is rejected meanwhile, by this replay or by the server, waits for the next one. */
async function replayAll(service: Service): Promise<ReplayCounts> {
  const { quarantine } = service.storage
  const counts: ReplayCounts = { replayed: 0, stored: 0, duplicates: 0, rejected: 0 }
  const total = await quarantine.count()
  for (let afterId = 0; counts.replayed < total; ) {
    const page = await quarantine.list({ afterId, limit: Math.min(PAGE, total - counts.replayed) })
    const last = page.at(-1)
    if (!last) break
    afterId = last.id
    for (const [connectorName, records] of Map.groupBy(page, (record) => record.connector)) {
      await replay(service, connectorName, records, counts)
    }
  }
  return counts
}

async function replay(
  service: Service,
  connectorName: string,
  records: readonly QuarantinedRecord[],
  counts: ReplayCounts,
): Promise<void> {
  counts.replayed += records.length
  if (connectorName === REPORT) return replayReports(service, records, counts)
  const connector = service.connectors.get(connectorName)
  if (!connector) {
    counts.rejected += records.length
    return
  }
  const result = await ingestRecords(
    ingestDependencies(service),
    connector,
    records.map(({ payload }) => toRawRecord(payload)),
  )
  const again = new Set(result.rejected.map(({ index }) => index))
  // Removed only after what became of them is durable.
  await service.storage.quarantine.remove(records.filter((_, index) => !again.has(index)).map(({ id }) => id))
  counts.stored += result.stored
  counts.duplicates += result.duplicates
  counts.rejected += again.size
}

/** Each is a message of its own. */
async function replayReports(
  { reports, storage }: Service,
  records: readonly QuarantinedRecord[],
  counts: ReplayCounts,
): Promise<void> {
  for (const { id, payload } of records) {
    const { stored, duplicates, rejected } = await reports.ingest(payload)
    if (rejected.length === 0) await storage.quarantine.remove([id])
    counts.stored += stored
    counts.duplicates += duplicates
    counts.rejected += rejected.length
  }
}
