/** `key revoke`: holds with the next request, at the latest within two seconds, in a running server too. */
import type { Command } from 'commander'
import { AppError } from '../lib/app-error.ts'
import { toIsoTime } from '../lib/clock.ts'
import { parseApiKey } from '../tenants/api-key.ts'
import type { CommandRunner } from './command-runner.ts'
import { examples, PROGRAM } from './help.ts'

export function addKeyRevoke(parent: Command, runner: CommandRunner): void {
  parent
    .command('revoke')
    .description(
      'Make a key invalid for good. A running server refuses it with the next request, at the latest within two seconds.',
    )
    .argument('<id>', `the id that ${PROGRAM} key list shows, or the whole key`)
    .addHelpText('after', examples('key revoke 4fTq0ZbX81Lc'))
    .action((idOrKey: string) =>
      runner.withData(async ({ storage, clock }) => {
        const id = parseApiKey(idOrKey)?.id ?? idOrKey
        const nowMs = clock()
        await storage.keys.revokeKey(id, nowMs)
        const key = await storage.keys.findKey(id)
        if (!key)
          throw new AppError('not_found', `There is no key with the id ${JSON.stringify(id)}. See: ${PROGRAM} key list`)
        const revokedAt = toIsoTime(key.revokedAtMs ?? nowMs)
        return { json: { id, revokedAt }, text: `Key ${id} is revoked since ${revokedAt}.` }
      }),
    )
}
