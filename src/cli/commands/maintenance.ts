/** `backup`, `recount` and `repair`: a verified copy of everything, a proof of the statistics, and what is left of a damaged day. */
import { basename, resolve } from 'node:path'
import { InvalidArgumentError, Option } from 'commander'
import { EXIT } from '../../describe-failure.ts'
import type {
  BackupProgressLine,
  BackupResult,
  RecountResult,
  RepairResult,
} from '../../http/v1/administration/maintenance/maintenance.wire.ts'
import { PROGRAM } from '../../lib/program-name.ts'
import type { CommandSpec } from '../command/command.ts'
import { ProgressBar } from '../text/progress-bar.ts'
import { formatBytes, formatCount } from '../text/text-table.ts'

const KEEP_MAX = 10_000

interface BackupFlags {
  readonly keep?: number
  readonly withoutSecret?: boolean
}

export const BACKUP: CommandSpec = {
  name: 'backup',
  description: 'Back up all data into a folder of backups. If a server runs, the server writes the backup.',
  arguments: [['<folder>', 'the folder of backups; each one is a folder of its own in it, named by its time']],
  options: [
    new Option('--keep <number>', 'keep this many backups, with the new one, and remove the oldest').argParser(
      parseKeep,
    ),
    ['--without-secret', 'leave master.key out; to restore the backup you then need your own copy of master.key'],
  ],
  help: `Days that have not changed since the last backup in the folder are not copied again: both backups share the file (a hard link).
Each backup is complete without the others: delete any of them at any time. To restore one: ${PROGRAM} restore.
Exit code: 0 if everything was copied and verified, 3 if days are damaged or missing (all others were copied, and no earlier
backup was removed), 1 if the backup failed: then nothing of it is left.`,
  examples: ['backup /var/backups/envelog', 'backup /var/backups/envelog --keep 14'],
  async run({ client }, path: string, { keep, withoutSecret = false }: BackupFlags) {
    const body = { folder: resolve(path), withoutSecret, ...(keep !== undefined && { keep }) }
    const bar = new BackupBar()
    const result = await client
      .work<BackupResult>('/v1/admin/backup', { body, onProgress: (line) => bar.show(line as BackupProgressLine) })
      .finally(() => bar.finish())
    const { folder, files, bytes, copiedBytes, problems, removed, secret } = result
    const removals = removed.length > 0 ? [`Removed ${formatCount(removed.length, 'earlier backup')}.`] : []
    return {
      json: { folder, files, bytes, copiedBytes, problems, removed, secret },
      text: [
        `Backed up ${formatCount(files.length, 'file')}, ${formatBytes(bytes)}, to ${folder}; ${formatBytes(copiedBytes)} had changed since the last backup.`,
        ...removals,
        describeSecret(secret),
      ].join('\n'),
      warnings: [
        ...problems.map(
          ({ day, problem, file }) => `${day}: ${problem}${file === undefined ? '' : ` (its bytes are in ${file})`}`,
        ),
        ...(problems.length > 0 && keep !== undefined
          ? ['No earlier backup was removed: one may have the last good copy.']
          : []),
      ],
      exitCode: problems.length > 0 ? EXIT.incomplete : EXIT.ok,
    }
  },
}

/** Drawn from the first line that says how much there is to copy. */
class BackupBar {
  #bar: ProgressBar | undefined
  #bytes = 0

  show({ file = '', copying = file, bytes, bytesTotal }: BackupProgressLine): void {
    this.#bar ??= new ProgressBar(bytesTotal)
    this.#bar.advance(bytes - this.#bytes, () => basename(copying))
    this.#bytes = bytes
  }

  finish(): void {
    this.#bar?.finish()
  }
}

function parseKeep(text: string): number {
  const keep = Number(text)
  if (Number.isInteger(keep) && keep >= 1 && keep <= KEEP_MAX) return keep
  throw new InvalidArgumentError(`It must be an integer from 1 to ${KEEP_MAX}.`)
}

function describeSecret(secret: BackupResult['secret']): string {
  return secret?.isIncluded
    ? 'The backup contains master.key, which decrypts the private keys: protect it like the data folder.'
    : `The backup does not contain the secret. To restore it you need the secret ${secret?.id}: keep a copy of it elsewhere.`
}

export const REPAIR: CommandSpec = {
  name: 'repair',
  description:
    'Save what can be read of a damaged day, and use the day again. The damaged file is kept. Exit code 1 if events are lost.',
  arguments: [['<day>', 'the day (UTC), such as 2026-01-31; `recount` names damaged ones']],
  examples: ['repair 2026-01-31'],
  async run({ client }, day: string) {
    const result = await client.work<RepairResult>(`/v1/admin/days/${encodeURIComponent(day)}/repair`)
    return { json: { ...result }, text: describeRepair(result), exitCode: result.lost === 0 ? EXIT.ok : EXIT.failed }
  },
}

function describeRepair({ day, saved, lost, lostByHour, lostTables, keptAs }: RepairResult): string {
  const hours = lostByHour.flatMap((events, hour) =>
    events === 0 ? [] : [`  ${String(hour).padStart(2, '0')}:00 to ${String(hour + 1).padStart(2, '0')}:00: ${events}`],
  )
  const unknown = lost - lostByHour.reduce((sum, events) => sum + events, 0)
  return [
    `${formatCount(saved, 'event')} of ${day} saved, ${formatCount(lost, 'event')} lost.`,
    ...(lost > 0 ? ['Lost, by hour (UTC); send them again if the sender still has them:', ...hours] : []),
    ...(lost > 0 && unknown > 0 ? [`  at an unknown time: ${unknown}`] : []),
    ...(lostTables.length > 0 ? [`Also lost: ${lostTables.join(', ')}.`] : []),
    `The damaged file is kept as ${keptAs} in the folder of events. Delete it when you do not need it any more.`,
  ].join('\n')
}

export const RECOUNT: CommandSpec = {
  name: 'recount',
  description: 'Count all events again and compare with the statistics. Exit code 1 if they differ.',
  options: [['--repair', 'correct counters that differ (events in ClickHouse only)']],
  examples: ['recount', 'recount --repair'],
  async run({ client }, { repair = false }: { readonly repair?: boolean }) {
    const path = repair ? '/v1/admin/recount?repair=true' : '/v1/admin/recount'
    const { ok, differences } = await client.work<RecountResult>(path)
    const heading = repair
      ? 'The counters differed from the events. They were corrected, except on days with events that are stored twice, and where erased events make the right value unknown:'
      : 'The counters differ from the events, or days are set aside:'
    return {
      json: { ok, differences },
      text: ok ? 'All counters match the events.' : [heading, ...differences.map((line) => `  ${line}`)].join('\n'),
      exitCode: ok ? EXIT.ok : EXIT.failed,
    }
  },
}
