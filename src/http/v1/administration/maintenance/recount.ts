/** POST /v1/admin/recount: verifies the statistics by counting the events again. */
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { AppError } from '../../../../lib/app-error.ts'
import { requireCapability } from '../../../../storage/storage.ts'
import type { AdministrationDeps } from '../../../app-deps.ts'
import { refusals, WITH_SESSION } from '../../../docs/openapi.ts'
import type { RecountProgress, RecountResult } from './maintenance.wire.ts'
import { NDJSON, sendProgress } from './progress-lines.ts'

export function addAdminRecount(scope: FastifyInstance, { storage }: AdministrationDeps): void {
  let isRunning = false

  scope.post(
    '/v1/admin/recount',
    {
      config: { surface: 'v1', access: { operator: 'admin' } },
      schema: {
        operationId: 'recount',
        summary: 'Verify the statistics',
        description:
          'Counts all events again, compares the result with the statistics and changes nothing. While it runs, a line ' +
          '`{"counted"}` is written for every counted part, and an empty line from time to time. The last line is `{"ok", ' +
          '"differences"}`, or `{"error", "message"}` if counting failed half-way. One recount runs at a time.',
        response: {
          200: { description: 'Progress and result.', content: { [NDJSON]: { schema: Type.String() } } },
          ...refusals(...WITH_SESSION, 'not_found', 'conflict', 'payload_too_large', 'storage_unavailable'),
        },
      },
    },
    async (request, reply) => {
      const recount = requireCapability(storage, 'recount')
      if (isRunning) throw new AppError('conflict', 'A recount is already running; wait until it has finished.')
      isRunning = true
      return sendProgress(request, reply, async (report): Promise<RecountResult> => {
        try {
          const differences = await recount.run((unit) => report({ counted: unit } satisfies RecountProgress))
          return { ok: differences.length === 0, differences }
        } finally {
          isRunning = false
        }
      })
    },
  )
}
