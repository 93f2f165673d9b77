/** `restore`: a backup becomes a data folder again. */
import { resolve } from 'node:path'
import { EXIT } from '../../describe-failure.ts'
import { AppError } from '../../lib/app-error.ts'
import type { CommandSpec } from '../command/command.ts'
import { ProgressBar } from '../text/progress-bar.ts'
import { formatBytes, formatCount } from '../text/text-table.ts'

interface RestoreFlags {
  readonly to?: string
  readonly check?: boolean
}

export const RESTORE: CommandSpec = {
  name: 'restore',
  description:
    'Restore a backup into a new or empty folder. Every file is verified first; no server may use the folder.',
  arguments: [['<backup>', 'a backup, or the folder of backups: then the newest complete one']],
  options: [
    ['--to <folder>', 'the new data folder (default: ENVELOG_DATA_DIR)'],
    ['--check', 'only verify the backup: read every file and compare it with the manifest'],
  ],
  help: `Nothing is overwritten: the folder must be empty or new. An interrupted restore leaves a folder that no server starts with; run
the same command again. Sessions are not part of a backup: everybody has to sign in again.
Exit code: 0 if everything was restored, 3 if days are missing or damaged in the backup, 1 if nothing was restored.`,
  examples: ['restore /var/backups/envelog', 'restore /var/backups/envelog/2026-01-31T02-30-00Z --to /var/lib/envelog'],
  isLocal: true,
  async run({ config }, path: string, { to, check = false }: RestoreFlags) {
    if (check && to !== undefined) throw new AppError('invalid_request', '--check restores nothing: leave --to out.')
    if (!check && to === undefined && config.storage !== 'sqlite') {
      throw new AppError('conflict', 'ENVELOG_STORAGE is not sqlite: name the folder to restore into with --to.')
    }
    // Loaded only here: other commands do not need storage.
    const { restore } = await import('../../maintenance/restore-backup.ts')
    const folder = check ? undefined : resolve(to ?? config.dataDir)
    let bar: ProgressBar | undefined
    let done = 0
    const { backup, manifest } = restore({
      backup: resolve(path),
      folder,
      onProgress({ file, bytes, bytesTotal }) {
        bar ??= new ProgressBar(bytesTotal)
        bar.advance(bytes - done, () => file)
        done = bytes
      },
    })
    bar?.finish()
    const { startedAt, files, problems, secret } = manifest
    const days = files.filter(({ events }) => events !== undefined)
    const events = days.reduce((sum, file) => sum + (file.events ?? 0), 0)
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
    const size = `${formatCount(days.length, 'day')} with ${formatCount(events, 'event')}, ${formatBytes(bytes)}`
    const state = problems.length === 0 ? 'complete and intact' : 'intact, but lacks days that could not be copied'
    const json = {
      backup,
      folder: folder ?? null,
      startedAt,
      days: days.length,
      events,
      bytes,
      secret: secret ?? null,
      problems,
    }
    return {
      json,
      text: [
        folder === undefined
          ? `The backup ${backup} is ${state}: ${size}.`
          : `Restored ${backup} to ${folder}: ${size}.`,
        `It contains everything that was acknowledged before ${startedAt}.`,
        ...(secret && !secret.isIncluded
          ? [
              `It does not contain the secret: the server needs the secret ${secret.id}, as master.key in the folder or in ENVELOG_SECRET_FILE.`,
            ]
          : []),
      ].join('\n'),
      warnings: problems.map(({ day, problem }) => `${day}: ${problem}`),
      exitCode: problems.length > 0 ? EXIT.incomplete : EXIT.ok,
    }
  },
}
