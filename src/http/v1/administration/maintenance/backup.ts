/** POST /v1/admin/backup: a consistent copy of all data, taken while the server runs. */
import { isAbsolute } from 'node:path'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { AppError } from '../../../../lib/app-error.ts'
import { requireCapability } from '../../../../storage/storage.ts'
import { LOCAL_OPERATOR } from '../../../../tenants/principal.ts'
import type { AdministrationDeps } from '../../../app-deps.ts'
import { refusals, WITH_SESSION } from '../../../docs/openapi.ts'
import { BODY_REFUSALS, parseJsonBody } from '../../json-body.ts'
import { BackupBody, type BackupProgress, type BackupResult } from './maintenance.wire.ts'
import { NDJSON, sendProgress } from './progress-lines.ts'

export function addAdminBackup(scope: FastifyInstance, { storage }: AdministrationDeps): void {
  let isRunning = false

  scope.post(
    '/v1/admin/backup',
    {
      config: { surface: 'v1', access: { operator: 'admin' } },
      onRequest: async (request) => requireLocal(request),
      schema: {
        operationId: 'backUp',
        summary: 'Back up all data',
        description:
          "Writes to a folder on the server's machine, so it is available only there: through `control.sock` in the data " +
          'folder. While the backup runs, a line `{"file"}` is written for every copied file, and an empty line from time to ' +
          'time. The last line is `{"folder", "files"}`, or `{"error", "message"}` if the backup failed half-way. One backup ' +
          'runs at a time. It continues if the caller disconnects.',
        body: BackupBody,
        response: {
          200: { description: 'Progress and result.', content: { [NDJSON]: { schema: Type.String() } } },
          ...refusals(
            ...WITH_SESSION,
            ...BODY_REFUSALS,
            'invalid_request',
            'not_found',
            'conflict',
            'storage_unavailable',
          ),
        },
      },
    },
    async (request, reply) => {
      const { folder } = parseJsonBody(BackupBody, request.body)
      if (!isAbsolute(folder)) {
        throw new AppError(
          'invalid_request',
          'Invalid folder: it must be an absolute path, such as /var/backups/envelog.',
        )
      }
      const backup = requireCapability(storage, 'backup')
      if (isRunning) throw new AppError('conflict', 'A backup is already running; wait until it has finished.')
      isRunning = true
      return sendProgress(request, reply, async (report): Promise<BackupResult> => {
        const files: string[] = []
        try {
          await backup.run(folder, (file) => {
            files.push(file)
            report({ file } satisfies BackupProgress)
          })
        } catch (error) {
          throw unwritable(error) ?? error
        } finally {
          isRunning = false
        }
        return { folder, files }
      })
    },
  )
}

function requireLocal({ principal }: FastifyRequest): void {
  if (principal === LOCAL_OPERATOR) return
  throw new AppError(
    'forbidden',
    "Backups are written on the server's machine: run bin/envelog backup there, as the server's user",
  )
}

/** The caller chooses the folder, so a path that cannot be written to is not a bug. */
function unwritable(error: unknown): AppError | undefined {
  if (!(error instanceof Error && 'syscall' in error)) return undefined
  return new AppError('storage_unavailable', `The backup cannot be written: ${error.message}`, { cause: error })
}
