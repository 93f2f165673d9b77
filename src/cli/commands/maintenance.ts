/** `backup` and `recount`: a consistent copy of everything, and a proof of the statistics. */
import { resolve } from 'node:path'
import { EXIT } from '../../describe-failure.ts'
import type { BackupResult, RecountResult } from '../../http/v1/administration/maintenance/maintenance.wire.ts'
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
