/** `key list` */
import type { Command } from 'commander'
import { toIsoTime } from '../lib/clock.ts'
import type { ApiKeyRecord } from '../tenants/key-store.ts'
import type { CommandRunner } from './command-runner.ts'
import { examples, PROGRAM } from './help.ts'
import { formatTable } from './text-table.ts'

export function addKeyList(parent: Command, runner: CommandRunner): void {
  parent
    .command('list')
    .description('List all keys, revoked ones included. The keys themselves are not stored and cannot be shown.')
    .addHelpText('after', examples('key list', 'key list --json'))
    .action(() =>
      runner.withData(async ({ storage }) => {
        const keys = (await storage.keys.listKeys()).map(toJson)
        return {
          json: { keys },
          text: formatTable(
            ['ID', 'OF', 'SCOPES', 'CREATED', 'LAST USED', 'STATE'],
            keys.map((key) => [
              key.id,
              key.tenant ?? '(operator)',
              key.scopes.join(','),
              key.createdAt,
              key.lastUsedAt ?? 'never',
              key.revokedAt === null ? 'valid' : `revoked ${key.revokedAt}`,
            ]),
            `There are no keys yet. Create one with: ${PROGRAM} key create --tenant NAME`,
          ),
        }
      }),
    )
}

function toJson(key: ApiKeyRecord) {
  return {
    id: key.id,
    /** The tenant's name; null for a key of the operator. */
    tenant: key.tenant?.name ?? null,
    scopes: key.scopes,
    createdAt: toIsoTime(key.createdAtMs),
    lastUsedAt: optionalTime(key.lastUsedAtMs),
    revokedAt: optionalTime(key.revokedAtMs),
  }
}

function optionalTime(timeMs: number | undefined): string | null {
  return timeMs === undefined ? null : toIsoTime(timeMs)
}
