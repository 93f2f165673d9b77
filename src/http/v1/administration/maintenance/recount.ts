/** POST /v1/admin/recount: proves the statistics by counting the events again. */
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { AppError } from '../../../../lib/app-error.ts'
import type { Storage } from '../../../../storage/storage.ts'
import type { AdministrationDeps } from '../../../app-deps.ts'
import { refusals, WITH_SESSION } from '../../../docs/openapi.ts'
import type { RecountResult } from './maintenance.wire.ts'
import { NDJSON, sendProgress } from './progress-lines.ts'

/** Not every storage engine keeps counters that could be wrong. */
type RecountCapability = Partial<Pick<Storage, 'recount'>>

export function addAdminRecount(scope: FastifyInstance, { storage }: AdministrationDeps): void {
  const engine: RecountCapability = storage
  let isRunning = false

  scope.post(
    '/v1/admin/recount',
    {
      config: { surface: 'v1', access: { operator: 'admin' } },
      schema: {
        operationId: 'recount',
        summary: 'Compare the statistics with the events',
        description:
          'Counts all events again and changes nothing. An empty line is written now and then while it runs. The last line ' +
          'is `{"ok", "differences"}`, or `{"error", "message"}` if counting failed half-way. One recount runs at a time.',
        response: {
          200: { description: 'Progress and result.', content: { [NDJSON]: { schema: Type.String() } } },
          ...refusals(...WITH_SESSION, 'not_found', 'conflict', 'payload_too_large', 'storage_unavailable'),
        },
      },
    },
    async (request, reply) => {
      if (!engine.recount) throw new AppError('not_found', 'This storage has no counters to compare.')
      if (isRunning) throw new AppError('conflict', 'A recount is already running: wait until it is done.')
      isRunning = true
      return sendProgress(request, reply, async (): Promise<RecountResult> => {
        try {
          const differences = (await engine.recount?.()) ?? []
          return { ok: differences.length === 0, differences }
        } finally {
          isRunning = false
        }
      })
    },
  )
}
