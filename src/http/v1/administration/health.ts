/** GET /v1/admin/ingest and GET /v1/admin/storage: the state of ingest and storage. */
import { toIsoTime } from '../../../lib/clock.ts'
import { type LastBackup, requireCapability } from '../../../storage/storage.ts'
import type { AdministrationDeps } from '../../app-deps.ts'
import { type AddAdminRoute, json } from '../../routes/route.ts'
import { IngestHealthSchema } from './ingest.wire.ts'
import { type StorageUse, StorageUseSchema } from './storage.wire.ts'

const DAY_MS = 86_400_000

export function addHealth(route: AddAdminRoute, { storage, metrics, retentionMs }: AdministrationDeps): void {
  route('GET /v1/admin/ingest', {
    operationId: 'getIngestHealth',
    access: { operator: 'read' },
    summary: 'Get the state of ingest',
    answer: json('The state of ingest.', IngestHealthSchema),
    refusals: ['overloaded', 'storage_unavailable'],
    async handle() {
      const { writable, queuedEvents } = storage.health
      const newest = await storage.log.findNewestTimestamp()
      const { ingestMinutes } = metrics
      const { lastStoredAtMs } = ingestMinutes
      return {
        writable,
        queued: queuedEvents,
        minutes: ingestMinutes.list().map(({ startMs, ...counts }) => ({ time: toIsoTime(startMs), ...counts })),
        lastEventAt: newest === undefined ? null : toIsoTime(newest * 1000),
        lastStoredAt: lastStoredAtMs === undefined ? null : toIsoTime(lastStoredAtMs),
        quarantined: await storage.control.quarantine.count(),
      }
    },
  })

  route('GET /v1/admin/storage', {
    operationId: 'getStorageUse',
    access: { operator: 'read' },
    summary: 'Get storage use by day',
    answer: json('Storage use.', StorageUseSchema),
    refusals: ['overloaded', 'storage_unavailable'],
    async handle() {
      const days = await requireCapability(storage, 'days').list()
      return {
        days: days.map(({ day, bytes, events }) => ({ day, bytes, events })),
        setAside: (storage.capabilities.troubles?.list() ?? []).map(({ day, kind, sinceMs, detail }) => ({
          day,
          kind,
          since: toIsoTime(sinceMs),
          detail,
        })),
        bytes: days.reduce((sum, { bytes }) => sum + bytes, 0),
        events: days.reduce((sum, { events }) => sum + events, 0),
        lastBackup: toWireBackup(storage.capabilities.backup?.last),
        retentionDays: retentionMs / DAY_MS,
      }
    },
  })
}

/** Without its folder, which is the machine's affair. */
function toWireBackup(last: LastBackup | undefined): StorageUse['lastBackup'] {
  return last ? { finishedAt: toIsoTime(last.finishedAtMs), bytes: last.bytes, problems: last.problems } : null
}
