/** `rejected`: records that could not become events, with the reason of each. */
import { Argument, InvalidArgumentError } from 'commander'
import { EXIT } from '../../describe-failure.ts'
import type { Dropped, Quarantine, QuarantinedRecord, Replay } from '../../http/v1/administration/quarantine.wire.ts'
import { AppError } from '../../lib/app-error.ts'
import { shorten } from '../../lib/text/shorten.ts'
import type { CommandGroup, CommandSpec } from '../command/command.ts'
import { limitOption } from '../command/limit-option.ts'
import { printable } from '../text/printable.ts'
import { formatCount } from '../text/text-table.ts'

const REASON_LENGTH_MAX = 200
const PAYLOAD_LENGTH_MAX = 76
const IDS_PER_REQUEST = 500

const list: CommandSpec = {
  name: 'list',
  description: 'List rejected records, oldest first.',
  options: [limitOption('records')],
  examples: ['rejected list', 'rejected list --limit 1000 --json'],
  async run({ client, isJson, program }, { limit }: { readonly limit: number }) {
    const records: QuarantinedRecord[] = []
    let use: Pick<Quarantine, 'count' | 'bytes' | 'bytesMax' | 'sources'> = {
      count: 0,
      bytes: 0,
      bytesMax: 0,
      sources: [],
    }
    for (let cursor: string | null = '0'; cursor !== null && records.length < limit; ) {
      const query = { cursor, limit: limit - records.length, whole: isJson }
      const page: Quarantine = await client.request<Quarantine>('GET', '/v1/admin/quarantine', { query })
      records.push(...page.records)
      use = page
      cursor = page.next
    }
    const { count, bytes, bytesMax, sources } = use
    const shown = records.length === 0 ? 'No rejected records.' : records.map(describeRecord).join('\n\n')
    const more = count > records.length ? `\n\n${formatCount(count, 'record')} in total; see more with --limit.` : ''
    const next = count > 0 ? `\n\nAfter fixing the reasons, retry with: ${program} rejected replay` : ''
    const used = count > 0 ? `\n\n${describeUse(use)}` : ''
    return {
      json: { count, bytes, bytesMax, sources, records: records.map(toJson) },
      text: `${shown}${more}${used}${next}`,
    }
  },
}

function toJson({ id, rejectedAt, times, connector, source, tenant, reason, payload }: QuarantinedRecord) {
  return { id, rejectedAt, times, format: connector, source, tenant, reason, payload }
}

function describeUse({ bytes, bytesMax, sources }: Pick<Quarantine, 'bytes' | 'bytesMax' | 'sources'>): string {
  const lines = sources.map(
    ({ source, records, bytes: own }) => `  ${source}: ${formatCount(records, 'record')}, ${formatMib(own)}`,
  )
  return [`Quarantine: ${formatMib(bytes)} of ${formatMib(bytesMax)} used`, ...lines].join('\n')
}

const MIB = 1_048_576

function formatMib(bytes: number): string {
  if (bytes > 0 && bytes < MIB / 10) return 'less than 0.1 MiB'
  return `${(bytes / MIB).toLocaleString('en-US', { maximumFractionDigits: 1 })} MiB`
}

/** On lines of its own, because reasons are sentences. */
function describeRecord({
  id,
  rejectedAt,
  times,
  connector,
  source,
  tenant,
  reason,
  payload,
}: QuarantinedRecord): string {
  const owner = tenant === null ? '' : ` of the tenant ${printable(tenant)}`
  return [
    `${id}  ${rejectedAt}  ${connector} from ${source}${owner}, ${formatCount(times, 'time')}`,
    `  ${cut(reason, REASON_LENGTH_MAX)}`,
    `  ${cut(payload, PAYLOAD_LENGTH_MAX)}`,
  ].join('\n')
}

function cut(text: string, lengthMax: number): string {
  return printable(shorten(text, lengthMax))
}

const replay: CommandSpec = {
  name: 'replay',
  description: 'Retry all rejected records. Those that can be stored now leave the quarantine; the others stay.',
  examples: ['rejected replay'],
  async run({ client, program }) {
    const { replayed, stored, duplicates, rejected } = await client.request<Replay>(
      'POST',
      '/v1/admin/quarantine/replay',
    )
    const rest = rejected === 0 ? '' : `\nThe reasons: ${program} rejected list`
    return {
      json: { replayed, stored, duplicates, rejected },
      text: `Retried ${formatCount(replayed, 'record')}: stored ${formatCount(stored, 'event')}, ${formatCount(duplicates, 'duplicate')}, ${rejected.toLocaleString('en-US')} still rejected.${rest}`,
    }
  },
}

interface DropOptions {
  readonly all?: true
  readonly format?: string
  readonly source?: string
}

const drop: CommandSpec = {
  name: 'drop',
  description: 'Permanently delete rejected records: those with the given ids, of one format, of one source, or all.',
  arguments: [new Argument('[id...]', 'ids as rejected list shows them').argParser(appendId)],
  options: [
    ['--format <name>', 'all records of this format, such as native or report'],
    ['--source <source>', 'all records of this source, as rejected list shows it'],
    ['--all', 'all records'],
  ],
  examples: [
    'rejected drop 17 18',
    'rejected drop --format native',
    "rejected drop --source 'smtp 192.0.2.1'",
    'rejected drop --all',
  ],
  async run({ client, program }, typed: readonly number[] = [], { all, format: connector, source }: DropOptions) {
    const id = [...new Set(typed)]
    if ([id.length > 0, connector !== undefined, source !== undefined, all === true].filter(Boolean).length !== 1) {
      throw new AppError(
        'invalid_request',
        'Say what to drop: ids, --format NAME, --source SOURCE or --all, exactly one of the four.',
      )
    }
    let dropped = 0
    // Ids travel in the address, whose length is limited.
    for (let at = 0; at === 0 || at < id.length; at += IDS_PER_REQUEST) {
      const query = { id: id.slice(at, at + IDS_PER_REQUEST), connector, source, all }
      dropped += (await client.request<Dropped>('DELETE', '/v1/admin/quarantine', { query })).dropped
    }
    const missing = id.length - dropped
    const text = `Dropped ${formatCount(dropped, 'record')}.`
    if (missing <= 0) return { json: { dropped }, text }
    const which =
      missing < id.length ? `${missing} of the ${id.length} ids` : id.length === 1 ? `the id ${id[0]}` : 'these ids'
    const problem = `No rejected record has ${which}; see: ${program} rejected list`
    return { json: { dropped }, text, warnings: [problem], exitCode: EXIT.failed }
  },
}

function appendId(text: string, earlier: readonly number[] = []): readonly number[] {
  const id = Number(text)
  if (Number.isInteger(id) && id >= 1) return [...earlier, id]
  throw new InvalidArgumentError('An id is a positive integer, as rejected list shows it.')
}

export const REJECTED: CommandGroup = {
  name: 'rejected',
  description: 'Records that could not be stored as events.',
  commands: [list, replay, drop],
}
