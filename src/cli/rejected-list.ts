/** `rejected list`: records that could not become events, and why. */
import { type Command, InvalidArgumentError } from 'commander'
import type { QuarantinedRecord } from '../events/quarantine-store.ts'
import { toIsoTime } from '../lib/clock.ts'
import type { CommandRunner } from './command-runner.ts'
import { examples, PROGRAM } from './help.ts'
import { formatCount } from './text-table.ts'

const LIMIT_MAX = 10_000
/** So much of each is shown; --json has all of it. */
const REASON_LENGTH_MAX = 200
const PAYLOAD_LENGTH_MAX = 76

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
        const shown = records.length === 0 ? 'Nothing was rejected.' : records.map(describeRecord).join('\n\n')
        return { json: { count, records: records.map(toJson) }, text: `${shown}${more}${next}` }
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

/** Lines of its own, because reasons are sentences. */
function describeRecord({ id, rejectedAtMs, times, connector, reason, payload }: QuarantinedRecord): string {
  return [
    `${id}  ${toIsoTime(rejectedAtMs)}  ${connector}, ${formatCount(times, 'time')}`,
    `  ${printable(reason, REASON_LENGTH_MAX)}`,
    `  ${printable(Buffer.from(payload).toString(), PAYLOAD_LENGTH_MAX)}`,
  ].join('\n')
}

/** Records come from elsewhere: control characters in them must not reach the terminal. */
function printable(text: string, lengthMax: number): string {
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
