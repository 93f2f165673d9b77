/** GET /v1/admin/ingest and GET /v1/admin/storage: the state of ingest and storage. */
import type { FastifyInstance } from 'fastify'
import { toIsoTime } from '../../../lib/clock.ts'
import { requireCapability } from '../../../storage/storage.ts'
import type { AdministrationDeps } from '../../app-deps.ts'
import { jsonResponse, refusals, WITH_SESSION } from '../../docs/openapi.ts'
import { type IngestHealth, IngestHealthSchema } from './ingest.wire.ts'
import { type StorageUse, StorageUseSchema } from './storage.wire.ts'

const config = { surface: 'v1', access: { operator: 'admin' } } as const
const DAY_MS = 86_400_000

export function addAdminHealth(scope: FastifyInstance, { storage, metrics, retentionMs }: AdministrationDeps): void {
  scope.addSchema(IngestHealthSchema)
  scope.addSchema(StorageUseSchema)

  scope.get(
    '/v1/admin/ingest',
    {
      config,
      schema: {
        operationId: 'getIngestHealth',
        summary: 'Get the state of ingest',
        response: { 200: jsonResponse('The state of ingest.', IngestHealthSchema.$id), ...refusals(...WITH_SESSION) },
      },
    },
    async (): Promise<IngestHealth> => {
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
  )

  scope.get(
    '/v1/admin/storage',
    {
      config,
      schema: {
        operationId: 'getStorageUse',
        summary: 'Get storage use by day',
        response: { 200: jsonResponse('Storage use.', StorageUseSchema.$id), ...refusals(...WITH_SESSION) },
      },
    },
    async (): Promise<StorageUse> => {
      const days = await requireCapability(storage, 'days').list()
      return {
        days: days.map(({ day, bytes, events }) => ({ day, bytes, events })),
        bytes: days.reduce((sum, { bytes }) => sum + bytes, 0),
        events: days.reduce((sum, { events }) => sum + events, 0),
        retentionDays: retentionMs / DAY_MS,
      }
    },
  )
}
