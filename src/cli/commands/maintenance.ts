/** `backup`, `recount` and `repair`: a consistent copy of everything, a proof of the statistics, and what is left of a damaged day. */
import { resolve } from 'node:path'
import { EXIT } from '../../describe-failure.ts'
import type {
  BackupResult,
  RecountResult,
  RepairResult,
} from '../../http/v1/administration/maintenance/maintenance.wire.ts'
import type { CommandSpec } from '../command/command.ts'
import { formatCount } from '../text/text-table.ts'

export const BACKUP: CommandSpec = {
  name: 'backup',
  description: 'Copy all data into a new or empty folder. If a server runs, the server writes the copy.',
  arguments: [
    ['<folder>', 'the new folder; to restore, start the server with ENVELOG_DATA_DIR set to it or to a copy of it'],
  ],
  options: [
    ['--without-secret', 'leave master.key out; to restore the copy you then need your own copy of master.key'],
  ],
  examples: ['backup /var/backups/envelog-2026-01-31'],
  async run({ client }, path: string, { withoutSecret = false }: { readonly withoutSecret?: boolean }) {
    const body = { folder: resolve(path), withoutSecret }
    const { folder, files, secret } = await client.work<BackupResult>('/v1/admin/backup', { body })
    return {
      json: { folder, files, secret },
      text: `Copied ${formatCount(files.length, 'file')} to ${folder}. ${describeSecret(secret)}`,
    }
  },
}

function describeSecret({ id, isIncluded }: BackupResult['secret']): string {
  return isIncluded
    ? 'The copy contains master.key, which decrypts the private keys: protect it like the data folder.'
    : `The copy does not contain the secret. To restore it you need the secret ${id}: keep a copy of it elsewhere.`
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
  examples: ['recount'],
  async run({ client }) {
    const { ok, differences } = await client.work<RecountResult>('/v1/admin/recount')
    return {
      json: { ok, differences },
      text: ok
        ? 'All counters match the events.'
        : ['The counters differ from the events:', ...differences.map((line) => `  ${line}`)].join('\n'),
      exitCode: ok ? EXIT.ok : EXIT.failed,
    }
  },
}
