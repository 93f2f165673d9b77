/** `backup`: a consistent copy of everything, taken while the server runs. */
import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { CommandRunner } from './command-runner.ts'
import { examples } from './help.ts'
import { formatCount } from './text-table.ts'

export function addBackup(parent: Command, runner: CommandRunner): void {
  parent
    .command('backup')
    .description('Copy everything that is kept into an empty or new folder, while the server runs or not.')
    .argument('<folder>', 'where to; to restore, start with ENVELOG_DATA_DIR set to it or to a copy of it')
    .addHelpText('after', examples('backup /var/backups/envelog-2026-01-31'))
    .action((path: string) =>
      runner.withData(async ({ storage }) => {
        const folder = resolve(path)
        const files: string[] = []
        await storage.backup(folder, (file) => files.push(file))
        return {
          json: { folder, files },
          text: `Copied ${formatCount(files.length, 'file')} to ${folder}. It holds the key that opens private keys: keep it as safe as the data folder.`,
        }
      }),
    )
}
