/** `rejected replay`: tries rejected records again; what now succeeds leaves the quarantine. */
import type { Command } from 'commander'
import { replayRejected } from '../events/replay-rejected.ts'
import { REPORT } from '../reports/report-intake.ts'
import type { CommandRunner } from './command-runner.ts'
import { examples, PROGRAM } from './help.ts'
import { ingestDependencies } from './import/import-records.ts'
import { formatCount } from './text-table.ts'

export function addRejectedReplay(parent: Command, runner: CommandRunner): void {
  parent
    .command('replay')
    .description('Try all rejected records again. What can be stored now is; the rest stays, with its reason of today.')
    .addHelpText('after', examples('rejected replay'))
    .action(() =>
      runner.withData(async (service) => {
        const { connectors, reports } = service
        const intakes = new Map([[REPORT, reports]])
        const counts = await replayRejected({ ...ingestDependencies(service), connectors, intakes })
        const rest = counts.rejected === 0 ? '' : `\nWhy: ${PROGRAM} rejected list`
        return {
          json: counts,
          text: `Tried ${formatCount(counts.replayed, 'record')}: stored ${formatCount(counts.stored, 'event')}, ${formatCount(counts.duplicates, 'duplicate')}, ${counts.rejected.toLocaleString('en-US')} still rejected.${rest}`,
        }
      }),
    )
}
