/** `rejected drop`: forgets rejected records that nobody wants back. */
import { type Command, InvalidArgumentError } from 'commander'
import { AppError } from '../lib/app-error.ts'
import type { CommandRunner } from './command-runner.ts'
import { examples } from './help.ts'
import { formatCount } from './text-table.ts'

interface DropOptions {
  readonly all?: true
  readonly format?: string
}

export function addRejectedDrop(parent: Command, runner: CommandRunner): void {
  parent
    .command('drop')
    .description('Forget rejected records for good: those with the given ids, of one format, or all.')
    .argument('[id...]', 'ids as `rejected list` shows them', collectIds)
    .option('--format <name>', 'all records of this format, such as native or report')
    .option('--all', 'all records')
    .addHelpText('after', examples('rejected drop 17 18', 'rejected drop --format native', 'rejected drop --all'))
    .action((ids: readonly number[] = [], { all, format }: DropOptions) =>
      runner.withData(async ({ storage: { quarantine } }) => {
        if ([ids.length > 0, format !== undefined, all === true].filter(Boolean).length !== 1) {
          throw new AppError('invalid_request', 'Name what to drop: ids, --format NAME or --all, one of the three')
        }
        const before = await quarantine.count()
        if (ids.length > 0) await quarantine.remove(ids)
        else await quarantine.removeAll(format)
        const dropped = before - (await quarantine.count())
        return { json: { dropped }, text: `Dropped ${formatCount(dropped, 'record')}.` }
      }),
    )
}

function collectIds(text: string, earlier: readonly number[] = []): readonly number[] {
  const id = Number(text)
  if (!Number.isInteger(id) || id < 1)
    throw new InvalidArgumentError('An id is a whole number, as `rejected list` shows it.')
  return [...earlier, id]
}
