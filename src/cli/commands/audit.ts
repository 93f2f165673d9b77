/** `audit`: who did what in the administration. */
import { createWriteStream } from 'node:fs'
import { stat, unlink } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { Option } from 'commander'
import type { AuditEntry, AuditPage } from '../../http/v1/administration/audit/audit-log.wire.ts'
import { AppError } from '../../lib/app-error.ts'
import { PROGRAM } from '../../lib/program-name.ts'
import type { CommandGroup, CommandSpec } from '../command/command.ts'
import { limitOption } from '../command/limit-option.ts'
import { printable } from '../text/printable.ts'
import { formatTable } from '../text/text-table.ts'

const PATH = '/v1/admin/audit'
const STDOUT = '-'

interface Filters {
  readonly from?: string
  readonly to?: string
  readonly kind?: string
  readonly actor?: string
  readonly action?: string
  readonly outcome?: string
}

const FILTERS: NonNullable<CommandSpec['options']> = [
  ['--from <time>', 'only entries since this time or date, such as 2026-01-15T12:00:00Z'],
  ['--to <time>', 'only entries before this time or date'],
  new Option('--kind <kind>', 'only entries of this kind').choices(['administration', 'session', 'reading', 'denied']),
  ['--actor <id>', 'only entries of the key with this id, or of the local user with this name'],
  ['--action <name>', 'only entries of this operation, such as createKey'],
  new Option('--outcome <outcome>', 'only entries with this outcome').choices(['success', 'refused', 'failed']),
]

const list: CommandSpec = {
  name: 'list',
  description: 'List the audit log, newest first: changes, reads of secrets, sign-ins, denied requests.',
  options: [...FILTERS, limitOption('entries')],
  examples: ['audit list', 'audit list --kind denied --from 2026-01-15', 'audit list --action createKey --json'],
  async run({ client }, { limit, ...filters }: Filters & { readonly limit: number }) {
    const entries: AuditEntry[] = []
    let cursor: string | null | undefined
    while (cursor !== null && entries.length < limit) {
      const query = { ...filters, limit: limit - entries.length, cursor: cursor ?? undefined }
      const page: AuditPage = await client.request<AuditPage>('GET', PATH, { query })
      entries.push(...page.entries)
      cursor = page.next
    }
    const more = cursor === null ? '' : `\n\nThere may be more: see --limit, or ${PROGRAM} audit export FILE`
    const table = formatTable(
      ['TIME', 'COUNT', 'ACTOR', 'ADDRESS', 'ACTION', 'OBJECT', 'OUTCOME'],
      entries.map(toCells),
      'No entries.',
    )
    return { json: { entries }, text: `${table}${more}` }
  },
}

function toCells({ lastTime, count, actor, action, object, outcome, status }: AuditEntry): readonly string[] {
  const { type, id, name, address } = actor
  const who = [type, name ?? id ?? ''].join(' ').trimEnd()
  return [lastTime, String(count), who, address ?? '', action, object ?? '', `${outcome} (${status})`].map(printable)
}

const exportLog: CommandSpec = {
  name: 'export',
  description: 'Write the audit log to a new file, newest entry first.',
  arguments: [['<file>', `the new file; ${STDOUT} for standard output`]],
  options: [
    ...FILTERS,
    new Option('--format <format>', 'format of the file').choices(['ndjson', 'csv']).default('ndjson'),
  ],
  examples: ['audit export audit.ndjson', 'audit export --format csv --from 2026-01-01 --to 2026-02-01 january.csv'],
  async run({ client, isJson }, file: string, query: Filters & { readonly format: string }) {
    if (file === STDOUT) {
      if (isJson)
        throw new AppError('invalid_request', 'With --json, name a file: the entries are not one JSON object.')
      await pipeline(await client.download(PATH, { query: { ...query } }), process.stdout, { end: false })
      return undefined
    }
    const body = await client.download(PATH, { query: { ...query } })
    const target = createWriteStream(file, { flags: 'wx', mode: 0o600 })
    let isOurs = false
    target.once('open', () => {
      isOurs = true
    })
    await pipeline(body, target).catch(async (error: unknown) => {
      // Half an audit log would look like a whole one.
      if (isOurs) await unlink(file).catch(() => undefined)
      throw new AppError('storage_unavailable', `The audit log was not exported to ${file}: ${reasonOf(error)}`, {
        cause: error,
      })
    })
    const { size: bytes } = await stat(file)
    return {
      json: { file, bytes },
      text: `Exported the audit log to ${file} (${bytes.toLocaleString('en-US')} bytes).`,
    }
  },
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if ('code' in error && error.code === 'EEXIST') return 'the file exists already'
  return error.message
}

export const AUDIT: CommandGroup = {
  name: 'audit',
  description: 'The audit log: who did what in the administration.',
  commands: [list, exportLog],
}
