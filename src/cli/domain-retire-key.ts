/** `domain retire-key`: a DKIM key that is not in use is deleted. */
import type { Command } from 'commander'
import { retireKey } from '../domains/keys/retire-key.ts'
import { dkimRecordName } from '../domains/records/dkim-key.ts'
import type { CommandRunner } from './command-runner.ts'
import { toKeysJson } from './domain-keys.ts'
import { examples } from './help.ts'
import { requireNamedDomain } from './require-named-domain.ts'

export function addDomainRetireKey(parent: Command, runner: CommandRunner): void {
  parent
    .command('retire-key')
    .description(
      'Delete a DKIM key that is not in use, previous or next, for good. Its record is not looked for any more.',
    )
    .argument('<name>', 'the domain')
    .argument('<selector>', 'the selector of the key, as domain list-keys shows it')
    .addHelpText('after', examples('domain retire-key example.com env0a1b2c3d'))
    .action((name: string, selector: string) =>
      runner.withData(async (service) => {
        const { storage, clock } = service
        const found = await requireNamedDomain(service, name)
        const domain = await retireKey({ domains: storage.domains, clock }, { name: found.name, selector })
        const record = dkimRecordName(domain.name, selector.toLowerCase())
        return {
          json: toKeysJson(domain),
          text: `The key ${selector.toLowerCase()} of ${domain.name} is deleted. Remove its DNS record: ${record}`,
        }
      }),
    )
}
