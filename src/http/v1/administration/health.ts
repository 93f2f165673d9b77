/** GET /v1/admin/ingest and GET /v1/admin/storage: how the service is doing. */
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
        summary: 'Do events come in?',
        response: { 200: jsonResponse('How it stands.', IngestHealthSchema.$id), ...refusals(...WITH_SESSION) },
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
        summary: 'What is stored, day by day',
        response: { 200: jsonResponse('Each day.', StorageUseSchema.$id), ...refusals(...WITH_SESSION) },
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
