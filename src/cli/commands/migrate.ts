/** `migrate`: the schemas of the databases that several servers share. */
import { AppError } from '../../lib/app-error.ts'
import type { CommandSpec } from '../command/command.ts'
import { formatCount } from '../text/text-table.ts'

export const MIGRATE: CommandSpec = {
  name: 'migrate',
  description:
    'Create or update the tables in PostgreSQL and ClickHouse (ENVELOG_STORAGE=clickhouse). Run it before the first start, after an ' +
    'update of Envelog or ClickHouse, and after the cluster has changed.',
  help: `The command may be interrupted, repeated, and run on several machines at the same time. Servers refuse to start with a schema that they
do not know. Most updates let running servers of the previous version continue, so that they can be replaced one by one. If an
update does not, this command says so and does not change that database until these servers are stopped.

After the number of shards has changed, running servers answer 503 until they are restarted. Stored events stay on their shard.`,
  options: [
    [
      '--shards <n>',
      'divide new events among the first n shards of the cluster; default: unchanged; on the first run, all shards',
    ],
  ],
  examples: ['migrate', 'migrate --shards 3'],
  isLocal: true,
  async run({ config, isJson }, { shards }: { readonly shards?: string }) {
    const wanted = shards === undefined ? undefined : parseShards(shards)
    // Loaded only here: the clients of the databases take longer to load than most commands take to run.
    const { migrateDatabases } = await import('../../maintenance/migrate-databases.ts')
    const steps = await migrateDatabases(
      config,
      ({ database, step }) => {
        if (!isJson) process.stderr.write(`${database}: ${step}\n`)
      },
      wanted,
    )
    return {
      json: { steps },
      text: steps.length === 0 ? 'Both schemas are up to date.' : `Applied ${formatCount(steps.length, 'change')}.`,
    }
  },
}

function parseShards(text: string): number {
  const shards = Number(text)
  if (Number.isSafeInteger(shards) && shards > 0) return shards
  throw new AppError('invalid_request', `--shards ${text} is not a number of shards.`)
}
