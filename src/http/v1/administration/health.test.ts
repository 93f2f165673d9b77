import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AdministrationDeps } from '../../app-deps.ts'
import type { AddAdminRoute } from '../../routes/route.ts'
import { addHealth } from './health.ts'

/** What the endpoints answer on such a storage. */
function answersOf(storage: object, lastStoredAtMs?: number) {
  const handlers = new Map<string, () => unknown>()
  const route = (endpoint: string, { handle }: { handle: () => unknown }) => void handlers.set(endpoint, handle)
  const minutes = [{ startMs: 60_000, stored: 1, duplicates: 2, rejected: 3 }]
  const deps = {
    storage,
    metrics: { ingestMinutes: { lastStoredAtMs, list: () => minutes } },
    retentionMs: 7 * 86_400_000,
  }
  addHealth(route as unknown as AddAdminRoute, deps as unknown as AdministrationDeps)
  return {
    ingest: () => handlers.get('GET /v1/admin/ingest')?.(),
    use: () => handlers.get('GET /v1/admin/storage')?.(),
  }
}

test('the use of storage has the sums of its days, the days that are set aside, and the last backup', async () => {
  const days = [
    { day: '2026-01-02', bytes: 10, events: 3 },
    { day: '2026-01-01', bytes: 5, events: 4 },
  ]
  const trouble = { day: '2025-12-31', kind: 'damaged', sinceMs: 1000, detail: 'bad' }
  const last = { folder: '/secret', finishedAtMs: 2000, durationMs: 1, bytes: 9, problems: 1 }
  const capabilities = { days: { list: async () => days }, troubles: { list: () => [trouble] }, backup: { last } }
  const whole = answersOf({ capabilities })
  assert.deepEqual(await whole.use(), {
    days,
    setAside: [{ day: '2025-12-31', kind: 'damaged', since: '1970-01-01T00:00:01.000Z', detail: 'bad' }],
    bytes: 15,
    events: 7,
    lastBackup: { finishedAt: '1970-01-01T00:00:02.000Z', bytes: 9, problems: 1 },
    retentionDays: 7,
  })
  const bare = answersOf({ capabilities: { days: { list: async () => [] } } })
  assert.deepEqual(await bare.use(), {
    days: [],
    setAside: [],
    bytes: 0,
    events: 0,
    lastBackup: null,
    retentionDays: 7,
  })
})

test('the state of ingest has the times of the newest event and of the last one that was stored, if there are any', async () => {
  const storageWith = (newest?: number) => ({
    health: { writable: true, queuedEvents: 5 },
    log: { findNewestTimestamp: async () => newest },
    control: { quarantine: { count: async () => 6 } },
  })
  const shown = {
    writable: true,
    queued: 5,
    minutes: [{ time: '1970-01-01T00:01:00.000Z', stored: 1, duplicates: 2, rejected: 3 }],
    quarantined: 6,
  }
  const empty = answersOf(storageWith())
  assert.deepEqual(await empty.ingest(), { ...shown, lastEventAt: null, lastStoredAt: null })
  const used = answersOf(storageWith(3), 4000)
  assert.deepEqual(await used.ingest(), {
    ...shown,
    lastEventAt: '1970-01-01T00:00:03.000Z',
    lastStoredAt: '1970-01-01T00:00:04.000Z',
  })
})
