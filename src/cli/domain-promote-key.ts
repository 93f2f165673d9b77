/** `domain promote-key`: a DKIM key that was seen in DNS takes the place of the one in use. */
import type { Command } from 'commander'
import type { Domain } from '../domains/domain.ts'
import { promoteKey } from '../domains/keys/promote-key.ts'
import { findKeyInState } from '../domains/records/dkim-keys.ts'
import type { CommandRunner } from './command-runner.ts'
import { toKeysJson } from './domain-keys.ts'
import { examples, PROGRAM } from './help.ts'
import { requireNamedDomain } from './require-named-domain.ts'

export function addDomainPromoteKey(parent: Command, runner: CommandRunner): void {
  parent
    .command('promote-key')
    .description('Put a DKIM key into use that the last check has seen in DNS. A previous key can be promoted again.')
    .argument('<name>', 'the domain')
    .argument('<selector>', 'the selector of the key, as domain list-keys shows it')
    .addHelpText('after', examples('domain promote-key example.com env0a1b2c3d'))
    .action((name: string, selector: string) =>
      runner.withData(async (service) => {
        const { storage, clock } = service
        const before = await requireNamedDomain(service, name)
        const domain = await promoteKey({ domains: storage.domains, clock }, { name: before.name, selector })
        return { json: toKeysJson(domain), text: describe(before, domain) }
      }),
    )
}

function describe(before: Domain, { name, ...domain }: Domain): string {
  const key = findKeyInState(domain, 'current')?.selector
  const old = findKeyInState(before, 'current')?.selector
  return [
    `The key ${key} of ${name} is in use now. Have the mail server sign with it:`,
    `  ${PROGRAM} domain export-key ${name}`,
    '',
    `Leave the DNS record of ${old} where it is until mail that was signed with it has arrived, about a week. Then:`,
    `  ${PROGRAM} domain retire-key ${name} ${old}`,
  ].join('\n')
}
