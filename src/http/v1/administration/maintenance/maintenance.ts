/** Backup, recount and repair: long jobs that write their progress. */
import { isAbsolute } from 'node:path'
import type { FastifyRequest } from 'fastify'
import { AppError } from '../../../../lib/app-error.ts'
import * as t from '../../../../lib/json-schema.ts'
import { PROGRAM } from '../../../../lib/program-name.ts'
import { type BackupProgress, requireCapability } from '../../../../storage/storage.ts'
import { LOCAL_OPERATOR } from '../../../../tenants/principal.ts'
import type { AdministrationDeps } from '../../../app-deps.ts'
import { type AddAdminRoute, content } from '../../../routes/route.ts'
import { type Jobs, ROTATION } from './jobs.ts'
import {
  BackupBody,
  type BackupProgressLine,
  type BackupResult,
  DayParams,
  type RecountProgress,
  RecountQuery,
  type RecountResult,
  type RepairProgress,
  type RepairResult,
} from './maintenance.wire.ts'
import { NDJSON, sendProgress } from './progress-lines.ts'
import { unwritable } from './unwritable.ts'

const REPAIR = 'repair'
const DAY = /^\d{4}-\d\d-\d\d$/

const answer = content('Progress and result.', { [NDJSON]: t.text() })

export function addMaintenance(route: AddAdminRoute, { storage, dataSecret }: AdministrationDeps, jobs: Jobs): void {
  route('POST /v1/admin/backup', {
    operationId: 'backUp',
    summary: 'Back up all data',
    description:
      "Writes a new backup into a folder of backups on the server's machine, so it is available only there: through " +
      '`control.sock` in the data folder. Days that have not changed since the last backup in that folder are shared with it; ' +
      'each backup is complete without the others. While it runs, a line `{"file", "bytes", "bytesTotal"}` is written for every ' +
      'file that is done, a line `{"copying", "bytes", "bytesTotal"}` now and then, and an empty line from time to time. The last ' +
      'line is `{"folder", "files", "bytes", "copiedBytes", "problems", "removed", "secret"}`, or `{"error", "message"}` if the ' +
      'backup failed half-way; then nothing of it is left. `problems` names the days that are damaged or missing: the others are ' +
      'copied, and no earlier backup is removed. One backup runs at a time. It continues if the caller disconnects. `secret` has ' +
      'the id of the secret that a restore needs, and whether the copy contains it. Sessions are not part of a backup.',
    onRequest: async (request) => requireLocal(request),
    body: BackupBody,
    answer,
    refusals: ['invalid_request', 'not_found', 'conflict', 'storage_unavailable'],
    async handle({ body, about, request, reply }) {
      const { folder, keep, withoutSecret = false } = await body()
      about(folder)
      if (!isAbsolute(folder)) {
        throw new AppError(
          'invalid_request',
          'Invalid folder: it must be an absolute path, such as /var/backups/envelog.',
        )
      }
      const backup = requireCapability(storage, 'backup')
      const job = jobs.begin('backup', ROTATION, REPAIR)
      return sendProgress(request, reply, async (report): Promise<BackupResult> => {
        using _job = job
        try {
          return await backup.run({
            folder,
            keep,
            addSecret: (copy) => dataSecret.copyTo(withoutSecret ? undefined : copy),
            onProgress: (progress) => report(toLine(progress)),
          })
        } catch (error) {
          throw unwritable('backup', error) ?? error
        }
      })
    },
  })

  route('POST /v1/admin/days/:day/repair', {
    operationId: 'repairDay',
    summary: 'Repair a damaged day',
    description:
      'Saves what can be read of the file of a day into a new one, checks it, and takes the day back. The damaged file is kept ' +
      'beside it. Events of the day are neither read nor stored meanwhile. While it runs, a line `{"percent"}` is written from ' +
      'time to time. The last line is `{"day", "saved", "lost", "lostByHour", "damagedPages", "lostTables", "keptAs"}`, or ' +
      '`{"error", "message"}` if the repair failed: the day then stays as it was. It continues if the caller disconnects. No backup, ' +
      'recount or other repair runs at the same time.',
    params: DayParams,
    answer,
    refusals: ['invalid_request', 'not_found', 'conflict', 'storage_unavailable'],
    async handle({ params: { day }, request, reply }) {
      if (!DAY.test(day)) throw new AppError('invalid_request', 'Invalid day: it must be a date such as 2026-01-31.')
      const repair = requireCapability(storage, 'repair')
      const job = jobs.begin(REPAIR, 'backup', 'recount')
      return sendProgress(request, reply, async (report): Promise<RepairResult> => {
        using _job = job
        return await repair.run(day, (percent) => report({ percent } satisfies RepairProgress))
      })
    },
  })

  route('POST /v1/admin/recount', {
    operationId: 'recount',
    summary: 'Verify the statistics',
    description:
      'Counts all events again, compares the result with the statistics and, unless `repair` is set, changes nothing. While it runs, ' +
      'a line `{"counted"}` is written for every counted part, and an empty line from time to time. The last line is `{"ok", ' +
      '"differences"}`, or `{"error", "message"}` if counting failed half-way. One recount runs at a time. With `repair`, counters ' +
      'that differ are corrected, and `differences` is what was found before; engines that count in the same transaction as they ' +
      'store events have nothing to correct and refuse it.',
    query: RecountQuery,
    answer,
    refusals: ['invalid_request', 'not_found', 'conflict', 'storage_unavailable'],
    async handle({ query: { repair = false }, request, reply }) {
      const recount = requireCapability(storage, 'recount')
      if (repair && !recount.repair) {
        throw new AppError('conflict', 'This storage engine has no counters to correct: run a recount without repair.')
      }
      const job = jobs.begin('recount', REPAIR)
      return sendProgress(request, reply, async (report): Promise<RecountResult> => {
        using _job = job
        const onProgress = (unit: string) => report({ counted: unit } satisfies RecountProgress)
        const differences = (repair ? await recount.repair?.(onProgress) : await recount.run(onProgress)) ?? []
        return { ok: differences.length === 0, differences }
      })
    },
  })
}

function toLine({ file, isDone, bytes, bytesTotal }: BackupProgress): BackupProgressLine {
  return { ...(isDone ? { file } : { copying: file }), bytes, bytesTotal }
}

function requireLocal({ principal }: FastifyRequest): void {
  if (principal === LOCAL_OPERATOR) return
  throw new AppError(
    'forbidden',
    `Backups are written on the server's machine: run ${PROGRAM} backup there, as the server's user`,
  )
}
