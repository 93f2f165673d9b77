/** `rejected list`: records that could not become events, and why. */
import { type Command, InvalidArgumentError } from 'commander'
import type { QuarantinedRecord } from '../events/quarantine-store.ts'
import { toIsoTime } from '../lib/clock.ts'
import type { CommandRunner } from './command-runner.ts'
import { examples, PROGRAM } from './help.ts'
import { formatCount, formatTable } from './text-table.ts'

const LIMIT_MAX = 10_000
const SHOWN_PAYLOAD_LENGTH = 60

export function addRejectedList(parent: Command, runner: CommandRunner): void {
  parent
    .command('list')
    .description('List rejected records, the oldest first.')
    .option('--limit <number>', `how many at most, up to ${LIMIT_MAX}`, parseLimit, 50)
    .addHelpText('after', examples('rejected list', 'rejected list --limit 1000 --json'))
    .action(({ limit }: { readonly limit: number }) =>
      runner.withData(async ({ storage }) => {
        const count = await storage.quarantine.count()
        const records = await storage.quarantine.list({ afterId: 0, limit })
        const more = count > records.length ? `\n\n${formatCount(count, 'record')} in all; see more with --limit.` : ''
        const next = count > 0 ? `\n\nOnce the reasons are gone: ${PROGRAM} rejected replay` : ''
        const table = formatTable(
          ['ID', 'REJECTED', 'TIMES', 'FORMAT', 'REASON', 'RECORD'],
          records.map(toRow),
          'Nothing was rejected.',
        )
        return { json: { count, records: records.map(toJson) }, text: `${table}${more}${next}` }
      }),
    )
}

function toJson({ id, rejectedAtMs, times, connector, reason, payload }: QuarantinedRecord) {
  return {
    id,
    rejectedAt: toIsoTime(rejectedAtMs),
    times,
    format: connector,
    reason,
    payload: Buffer.from(payload).toString(),
  }
}

function toRow({ id, rejectedAtMs, times, connector, reason, payload }: QuarantinedRecord): readonly string[] {
  return [
    String(id),
    toIsoTime(rejectedAtMs),
    String(times),
    connector,
    printable(reason),
    printable(Buffer.from(payload).toString(), SHOWN_PAYLOAD_LENGTH),
  ]
}

/** Records come from elsewhere: control characters in them must not reach the terminal. */
function printable(text: string, lengthMax = 200): string {
  const shown = text.length > lengthMax ? `${text.slice(0, lengthMax)}…` : text
  return shown.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '?')
}

function parseLimit(text: string): number {
  const limit = Number(text)
  if (!Number.isInteger(limit) || limit < 1 || limit > LIMIT_MAX) {
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${LIMIT_MAX}.`)
  }
  return limit
}
