/** GET /v1/admin/quarantine and POST /v1/admin/quarantine/replay. */
import type { FastifyInstance } from 'fastify'
import { type ReplayCounts, replayRejected } from '../../events/replay-rejected.ts'
import { REPORT } from '../../reports/report-intake.ts'
import type { AppDeps } from '../app-deps.ts'
import { jsonResponse, refusals, WITH_SESSION } from '../openapi.ts'
import { parseQuery } from '../query-parameters.ts'
import {
  QUARANTINE_LIMIT_DEFAULT,
  QUARANTINE_LIMIT_MAX,
  QuarantinedRecordSchema,
  QuarantineQuery,
  QuarantineSchema,
  ReplaySchema,
  toWireRecord,
} from './admin-quarantine.wire.ts'

const config = { surface: 'v1', access: { operator: 'admin' } } as const

export function addAdminQuarantine(scope: FastifyInstance, deps: AppDeps): void {
  const { storage, clock, connectors, reports, retentionMs, serviceMessageIdField } = deps
  const { events, domains, quarantine } = storage
  const intakes = new Map([[REPORT, reports]])
  const ingest = { events, domains, quarantine, clock, retentionMs, serviceMessageIdField, connectors, intakes }
  for (const schema of [QuarantinedRecordSchema, QuarantineSchema, ReplaySchema]) scope.addSchema(schema)
  let replaying: Promise<ReplayCounts> | undefined

  scope.get(
    '/v1/admin/quarantine',
    {
      config,
      schema: {
        operationId: 'listQuarantine',
        summary: 'Records that could not be stored',
        description: 'Byte for byte as they came, up to 16 KiB of each, with the reason.',
        querystring: QuarantineQuery,
        response: {
          200: jsonResponse('One page of records.', QuarantineSchema.$id),
          ...refusals(...WITH_SESSION, 'invalid_request'),
        },
      },
    },
    async (request) => {
      const { cursor: afterId = 0, limit: asked = QUARANTINE_LIMIT_DEFAULT } = parseQuery(
        QuarantineQuery,
        request.query,
      )
      const limit = Math.min(asked, QUARANTINE_LIMIT_MAX)
      // One more than asked for tells whether there is a next page.
      const found = await quarantine.list({ afterId, limit: limit + 1 })
      const page = found.slice(0, limit)
      const last = found.length > limit ? page.at(-1) : undefined
      return { records: page.map(toWireRecord), count: await quarantine.count(), next: last ? String(last.id) : null }
    },
  )

  scope.post(
    '/v1/admin/quarantine/replay',
    {
      config,
      schema: {
        operationId: 'replayQuarantine',
        summary: 'Try all of them again',
        description:
          'What can be stored now is, and leaves the quarantine; the rest stays, with its reason of today. Calls that come ' +
          'while a replay is under way share its answer.',
        response: {
          200: jsonResponse('What came of it.', ReplaySchema.$id),
          ...refusals(...WITH_SESSION, 'payload_too_large', 'storage_unavailable', 'overloaded'),
        },
      },
    },
    async () => {
      replaying ??= replayRejected(ingest).finally(() => {
        replaying = undefined
      })
      return replaying
    },
  )
}
