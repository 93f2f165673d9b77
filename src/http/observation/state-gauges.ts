/** Gauges that show a state: read when the metrics are rendered, and cheap to read. */
import { Counter, Gauge, type Registry } from '@prometheus-io/client'
import type { Retention, RetentionPhase } from '../../events/retention/retention.ts'
import { type ClusterFigures, type Storage, TROUBLE_KINDS } from '../../storage/storage.ts'

export interface GaugeSources {
  readonly storage: Pick<Storage, 'health' | 'control' | 'capabilities' | 'observation' | 'log' | 'cluster'>
  readonly retention?: Pick<Retention, 'status'>
  /** Bytes of opens and clicks that are not in the log yet. */
  readonly trackingBytes?: () => number
}

const PHASES = ['on_time', 'waiting', 'catching_up'] as const satisfies readonly RetentionPhase[]

type Help = readonly [help: string, ...labelNames: string[]]

const GAUGES = {
  envelog_storage_writable: ['Whether storage can commit: 1 or 0.'],
  envelog_storage_queued_events: ['Events accepted from callers and not yet committed.'],
  envelog_storage_day_files: ['Event files, one per day.'],
  envelog_storage_day_files_set_aside: [
    'Days that are set aside, neither read nor written, by what is wrong with them.',
    'kind',
  ],
  envelog_storage_wal_bytes: ['Size of the write-ahead logs of all databases.'],
  envelog_disk_free_bytes: ['Free space of the file system that has the data folder.'],
  envelog_disk_size_bytes: ['Size of the file system that has the data folder.'],
  envelog_reads_running: ['Reads of the log that are running.'],
  envelog_reads_waiting: ['Reads of the log that are waiting for other reads, mostly of the same tenant.'],
  envelog_newest_event_timestamp_seconds: ['Time of the newest event in the log; 0 without events.'],
  envelog_tracking_journal_bytes: ['Opens and clicks that are durable but not in the log yet.'],
  envelog_quarantine_records: ['Records in quarantine.'],
  envelog_quarantine_bytes: ['Bytes in quarantine.'],
  envelog_quarantine_largest_source_bytes: ['Bytes in quarantine of the source that uses the most.'],
  envelog_quarantine_max_bytes: ['Maximum size of the quarantine.'],
  envelog_retention_last_run_timestamp_seconds: ['Last run of retention without errors; 0 before the first.'],
  envelog_retention_phase: [
    '1 for the phase that retention is in: on_time, waiting (it doubts the clock), catching_up.',
    'phase',
  ],
  envelog_clock_offset_seconds: [
    'How far the clock is ahead of the expected time (negative: behind); 0 unless it is doubted.',
  ],
  envelog_removals_unfinished: ['Removals of tenants, domains and recipients that are not finished.'],
  envelog_backup_last_timestamp_seconds: ['End of the last complete backup; 0 if there was none.'],
  envelog_database_reachable: [
    'Whether this server reaches the database: 1 or 0; 1 for the embedded engine.',
    'database',
  ],
  envelog_cluster_members: ['Replicas of all shards in the configuration of ClickHouse; 0 for the embedded engine.'],
  envelog_cluster_members_reachable: ['Replicas that answer.'],
  envelog_cluster_members_read_only: [
    'Replicas that answer and cannot be written, because they lost their coordination service.',
  ],
  envelog_cluster_lag_seconds: ['How far the slowest reachable replica is behind.'],
  envelog_cluster_batches_unfinished: ['Batches of events that are decided and not stored on enough replicas yet.'],
  envelog_cluster_batch_oldest_age_seconds: ['Age of the oldest unfinished batch; 0 without one.'],
  envelog_domains: [
    'Domains by state. Failing domains are still verified, and lose that if the next check fails too.',
    'state',
  ],
} as const satisfies Readonly<Record<string, Help>>

type GaugeName = keyof typeof GAUGES
type SetGauge = (name: GaugeName, value: number, labels?: Readonly<Record<string, string>>) => void

/** `read` reads all of them; to be called before the registry is rendered. */
export function addStateGauges(registers: Registry[], sources: GaugeSources): { readonly read: () => Promise<void> } {
  const gauges = new Map<string, Gauge<string>>()
  for (const [name, [help, ...labelNames]] of Object.entries<Help>(GAUGES)) {
    gauges.set(name, new Gauge({ name, help, labelNames, registers }))
  }
  const waited = new Counter({
    name: 'envelog_reads_waited_seconds_total',
    help: 'Total time that reads of the log waited before they ran.',
    registers,
  })
  const newestPages = new Counter({
    name: 'envelog_newest_pages_total',
    help: 'Unfiltered first pages of one domain, by where they came from: memory or files.',
    labelNames: ['source'],
    registers,
  })
  const takenBack = new Counter({
    name: 'envelog_storage_day_files_taken_back_total',
    help: 'Days that were set aside and are used again.',
    registers,
  })
  const counters = addClusterCounters(registers)
  const set: SetGauge = (name, value, labels = {}) => gauges.get(name)?.set(labels, value)
  return {
    async read() {
      const { storage } = sources
      const { reads } = storage.health
      waited.reset()
      waited.inc((reads?.waitedMs ?? 0) / 1000)
      newestPages.reset()
      newestPages.inc({ source: 'memory' }, reads?.newestPages?.fromMemory ?? 0)
      newestPages.inc({ source: 'files' }, reads?.newestPages?.fromFiles ?? 0)
      takenBack.reset()
      takenBack.inc(storage.capabilities.troubles?.takenBack ?? 0)
      setHealth(set, sources)
      setCluster(set, storage)
      counters.read(storage)
      setRetention(set, sources)
      // What cannot be read at the moment keeps its last value: the other metrics matter most then.
      await Promise.allSettled([
        setDisk(set, storage),
        setNewestEvent(set, storage),
        setQuarantine(set, storage),
        setDomains(set, storage),
        setRemovals(set, storage),
      ])
    },
  }
}

function setHealth(set: SetGauge, { storage, trackingBytes }: GaugeSources): void {
  const { health, capabilities } = storage
  set('envelog_storage_writable', Number(health.writable))
  set('envelog_storage_queued_events', health.queuedEvents)
  set('envelog_reads_running', health.reads?.running ?? 0)
  set('envelog_reads_waiting', health.reads?.waiting ?? 0)
  set('envelog_storage_day_files', capabilities.days?.count ?? 0)
  const troubles = capabilities.troubles?.list() ?? []
  for (const kind of TROUBLE_KINDS)
    set('envelog_storage_day_files_set_aside', troubles.filter((trouble) => trouble.kind === kind).length, { kind })
  set('envelog_backup_last_timestamp_seconds', lastBackupMs(capabilities) / 1000)
  set('envelog_tracking_journal_bytes', trackingBytes?.() ?? 0)
}

function setCluster(set: SetGauge, { cluster }: GaugeSources['storage']): void {
  const figures = cluster?.figures
  set('envelog_database_reachable', Number(figures?.isPostgresReachable ?? true), { database: 'postgresql' })
  set('envelog_database_reachable', Number(figures?.isClickHouseReachable ?? true), { database: 'clickhouse' })
  set('envelog_cluster_members', figures?.members ?? 0)
  set('envelog_cluster_members_reachable', figures?.reachableMembers ?? 0)
  set('envelog_cluster_members_read_only', figures?.readOnlyMembers ?? 0)
  set('envelog_cluster_lag_seconds', figures?.lagSeconds ?? 0)
  set('envelog_cluster_batches_unfinished', figures?.unfinishedBatches ?? 0)
  set('envelog_cluster_batch_oldest_age_seconds', (figures?.oldestBatchMs ?? 0) / 1000)
}

const CLUSTER_COUNTERS: Readonly<Record<string, readonly [help: string, read: (figures: ClusterFigures) => number]>> = {
  envelog_shard_locks_total: ['Locks of shards that this server has taken.', ({ locks }) => locks],
  envelog_shard_lock_waited_seconds_total: [
    'Total time that this server waited for locks of shards.',
    ({ lockWaitMs }) => lockWaitMs / 1000,
  ],
  envelog_reads_relaxed_total: [
    'Reads that may have missed the newest events, because strict ones were not possible.',
    ({ relaxedReads }) => relaxedReads,
  ],
  envelog_clickhouse_failovers_total: [
    'Requests to ClickHouse that were repeated at another address.',
    ({ failovers }) => failovers,
  ],
}

/** 0 for the embedded engine. */
function addClusterCounters(registers: Registry[]): { readonly read: (storage: GaugeSources['storage']) => void } {
  const counters = Object.entries(CLUSTER_COUNTERS).map(([name, [help, read]]) => ({
    counter: new Counter({ name, help, registers }),
    read,
  }))
  return {
    read({ cluster }) {
      for (const { counter, read } of counters) {
        counter.reset()
        counter.inc(cluster ? read(cluster.figures) : 0)
      }
    },
  }
}

/** Engines without backups of their own report none. */
function lastBackupMs({ backup }: { readonly backup?: BackupCapability }): number {
  return backup?.last?.finishedAtMs ?? 0
}

interface BackupCapability {
  readonly run: unknown
  readonly last?: { readonly finishedAtMs: number } | undefined
}

function setRetention(set: SetGauge, { retention }: GaugeSources): void {
  const { phase = 'on_time', offMs = 0, completedAtMs = 0 } = retention?.status ?? {}
  set('envelog_retention_last_run_timestamp_seconds', completedAtMs / 1000)
  set('envelog_clock_offset_seconds', offMs / 1000)
  for (const each of PHASES) set('envelog_retention_phase', Number(each === phase), { phase: each })
}

async function setDisk(set: SetGauge, { observation }: GaugeSources['storage']): Promise<void> {
  if (!observation) return
  const { freeBytes, sizeBytes, walBytes } = await observation.disk()
  set('envelog_disk_free_bytes', freeBytes)
  set('envelog_disk_size_bytes', sizeBytes)
  set('envelog_storage_wal_bytes', walBytes)
}

async function setNewestEvent(set: SetGauge, { log }: GaugeSources['storage']): Promise<void> {
  set('envelog_newest_event_timestamp_seconds', (await log.findNewestTimestamp()) ?? 0)
}

async function setQuarantine(set: SetGauge, { control: { quarantine } }: GaugeSources['storage']): Promise<void> {
  const { records, bytes, sources } = await quarantine.usage(1)
  set('envelog_quarantine_records', records)
  set('envelog_quarantine_bytes', bytes)
  set('envelog_quarantine_largest_source_bytes', sources[0]?.bytes ?? 0)
  set('envelog_quarantine_max_bytes', quarantine.bytesMax)
}

async function setRemovals(set: SetGauge, { control: { removals } }: GaugeSources['storage']): Promise<void> {
  set('envelog_removals_unfinished', (await removals.listUnfinished()).length)
}

async function setDomains(set: SetGauge, { control: { domains } }: GaugeSources['storage']): Promise<void> {
  for (const [state, number] of Object.entries(await domains.census())) set('envelog_domains', number, { state })
}
