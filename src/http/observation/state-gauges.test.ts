import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Registry } from '@prometheus-io/client'
import { delivery, NOON, openMemoryScene } from '../../../test/harness/app/memory-scene.ts'
import type { RetentionStatus } from '../../events/retention/retention.ts'
import type { ClusterFigures, DayTrouble, LastBackup } from '../../storage/storage.ts'
import { addStateGauges, type GaugeSources } from './state-gauges.ts'

const FIGURES: ClusterFigures = {
  isPostgresReachable: true,
  isClickHouseReachable: true,
  members: 6,
  reachableMembers: 5,
  readOnlyMembers: 1,
  lagSeconds: 12,
  unfinishedBatches: 2,
  oldestBatchMs: 2500,
  locks: 40,
  lockWaitMs: 1500,
  relaxedReads: 3,
  failovers: 4,
}

/** The values of all samples, without the explanations. */
async function read(sources: GaugeSources): Promise<ReadonlyMap<string, number>> {
  const registry = new Registry()
  const gauges = addStateGauges([registry], sources)
  // Twice: a total must not be added up by reading it.
  for (let round = 0; round < 2; round++) await gauges.read()
  const lines = (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(' ')
      return [line.slice(0, at), Number(line.slice(at + 1))]
    }),
  )
}

test('every gauge has the value of its source, in seconds and bytes', async () => {
  const { storage, append } = await openMemoryScene()
  await append([delivery()])
  const add = (name: string, text: string) =>
    storage.control.quarantine.add(
      [{ payload: Buffer.from(text), connector: 'c', source: { kind: 'key', name }, reason: 'r' }],
      1,
    )
  await add('a', 'xx')
  await add('b', 'xxxxx')
  for (const id of ['r1', 'r2', 'r3'])
    await storage.control.removals.addRecipient('u@b.test', id, { id, requestedBy: 'k', requestedAtMs: 1 })
  await storage.control.removals.finish('r1', 2)
  const trouble = (day: string, kind: DayTrouble['kind']): DayTrouble => ({ day, kind, sinceMs: 0, detail: '' })
  const troubles = [
    trouble('2026-01-01', 'damaged'),
    trouble('2026-01-02', 'damaged'),
    trouble('2026-01-03', 'missing'),
  ]
  const last: LastBackup = { folder: 'b', finishedAtMs: 5000, durationMs: 1, bytes: 1, problems: 0 }
  const status: RetentionStatus = {
    phase: 'waiting',
    clockMs: 0,
    timeMs: 0,
    offMs: -7000,
    believedInMs: 0,
    completedAtMs: 9000,
    cutoffMs: undefined,
  }
  const samples = await read({
    storage: {
      ...storage,
      health: {
        writable: true,
        queuedEvents: 7,
        reads: { running: 2, waiting: 3, waitedMs: 1500, newestPages: { fromMemory: 8, fromFiles: 9 } },
      },
      capabilities: {
        days: { list: async () => [], count: 4 },
        troubles: { list: () => troubles, follow: () => undefined, takenBack: 6, accept: async () => undefined },
        backup: { run: () => Promise.reject(new Error('not here')), last },
      },
      cluster: { figures: { ...FIGURES, isClickHouseReachable: false } },
      observation: {
        disk: async () => ({ freeBytes: 10, sizeBytes: 20, walBytes: 30 }),
        onCommit: () => undefined,
      },
    },
    retention: { status },
    trackingBytes: () => 9,
  })
  for (const [name, value] of [
    ['envelog_storage_writable', 1],
    ['envelog_storage_queued_events', 7],
    ['envelog_reads_running', 2],
    ['envelog_reads_waiting', 3],
    ['envelog_reads_waited_seconds_total', 1.5],
    ['envelog_newest_pages_total{source="memory"}', 8],
    ['envelog_newest_pages_total{source="files"}', 9],
    ['envelog_storage_day_files', 4],
    ['envelog_storage_day_files_set_aside{kind="damaged"}', 2],
    ['envelog_storage_day_files_set_aside{kind="missing"}', 1],
    ['envelog_storage_day_files_set_aside{kind="foreign"}', 0],
    ['envelog_storage_day_files_taken_back_total', 6],
    ['envelog_backup_last_timestamp_seconds', 5],
    ['envelog_tracking_journal_bytes', 9],
    ['envelog_retention_last_run_timestamp_seconds', 9],
    ['envelog_clock_offset_seconds', -7],
    ['envelog_retention_phase{phase="waiting"}', 1],
    ['envelog_retention_phase{phase="on_time"}', 0],
    ['envelog_disk_free_bytes', 10],
    ['envelog_disk_size_bytes', 20],
    ['envelog_storage_wal_bytes', 30],
    ['envelog_newest_event_timestamp_seconds', NOON],
    ['envelog_quarantine_records', 2],
    ['envelog_quarantine_bytes', 2 * 512 + 7],
    ['envelog_quarantine_largest_source_bytes', 512 + 5],
    ['envelog_quarantine_max_bytes', storage.control.quarantine.bytesMax],
    ['envelog_removals_unfinished', 2],
    ['envelog_domains{state="verified"}', 0],
    ['envelog_database_reachable{database="postgresql"}', 1],
    ['envelog_database_reachable{database="clickhouse"}', 0],
    ['envelog_cluster_members', 6],
    ['envelog_cluster_members_reachable', 5],
    ['envelog_cluster_members_read_only', 1],
    ['envelog_cluster_lag_seconds', 12],
    ['envelog_cluster_batches_unfinished', 2],
    ['envelog_cluster_batch_oldest_age_seconds', 2.5],
    ['envelog_shard_locks_total', 40],
    ['envelog_shard_lock_waited_seconds_total', 1.5],
    ['envelog_reads_relaxed_total', 3],
    ['envelog_clickhouse_failovers_total', 4],
  ] as const) {
    assert.equal(samples.get(name), value, name)
  }
})

test('a database that cannot be reached does not make the other one look unreachable', async () => {
  const { storage } = await openMemoryScene()
  const samples = await read({
    storage: { ...storage, cluster: { figures: { ...FIGURES, isPostgresReachable: false } } },
  })
  assert.equal(samples.get('envelog_database_reachable{database="postgresql"}'), 0)
  assert.equal(samples.get('envelog_database_reachable{database="clickhouse"}'), 1)
})

test('what an engine lacks is zero, and what cannot be read does not keep the rest', async () => {
  const { storage } = await openMemoryScene()
  const samples = await read({
    storage: {
      ...storage,
      health: { writable: false, queuedEvents: 0 },
      capabilities: {},
      observation: { disk: () => Promise.reject(new Error('no disk')), onCommit: () => undefined },
    },
  })
  for (const name of [
    'envelog_storage_writable',
    'envelog_reads_running',
    'envelog_reads_waiting',
    'envelog_reads_waited_seconds_total',
    'envelog_newest_pages_total{source="memory"}',
    'envelog_newest_pages_total{source="files"}',
    'envelog_storage_day_files',
    'envelog_storage_day_files_set_aside{kind="damaged"}',
    'envelog_storage_day_files_taken_back_total',
    'envelog_backup_last_timestamp_seconds',
    'envelog_tracking_journal_bytes',
    'envelog_newest_event_timestamp_seconds',
    'envelog_retention_last_run_timestamp_seconds',
    'envelog_clock_offset_seconds',
    'envelog_quarantine_records',
    'envelog_quarantine_largest_source_bytes',
    'envelog_cluster_members',
    'envelog_cluster_members_reachable',
    'envelog_cluster_members_read_only',
    'envelog_cluster_lag_seconds',
    'envelog_cluster_batches_unfinished',
    'envelog_cluster_batch_oldest_age_seconds',
    'envelog_shard_locks_total',
  ]) {
    assert.equal(samples.get(name), 0, name)
  }
  for (const database of ['postgresql', 'clickhouse'])
    assert.equal(samples.get(`envelog_database_reachable{database="${database}"}`), 1, database)
  assert.equal(samples.get('envelog_retention_phase{phase="on_time"}'), 1)
})
