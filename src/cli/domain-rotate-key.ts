/** `domain rotate-key`: a second DKIM key beside the one in use. */
import { type Command, Option } from 'commander'
import { DKIM_ALGORITHMS, type DkimAlgorithm } from '../domains/domain.ts'
import { type RotatedKey, rotateKey } from '../domains/keys/rotate-key.ts'
import { findKeyRecord } from '../domains/records/dkim-keys.ts'
import type { CommandRunner } from './command-runner.ts'
import { describeAlgorithm, toKeysJson } from './domain-keys.ts'
import { describeRecordsToPublish } from './domain-text.ts'
import { examples, PROGRAM } from './help.ts'
import { requireNamedDomain } from './require-named-domain.ts'

const STEPS = `
A rotation in steps, none of which stops mail:
  1. rotate-key makes the key. Publish the DNS record that it shows, beside the old one.
  2. verify looks for both. The domain stays verified by the old one.
  3. promote-key puts the new key into use; it refuses unless a check has seen the record.
  4. export-key prints it for the mail server, which signs with it from then on.
  5. After a week, when mail that was signed with the old key has arrived: retire-key, and remove the old DNS record.
`

export function addDomainRotateKey(parent: Command, runner: CommandRunner): void {
  parent
    .command('rotate-key')
    .description('Make a new DKIM key for a domain beside the one in use, and show the DNS record to publish.')
    .argument('<name>', 'the domain')
    .addOption(new Option('--algorithm <name>', 'kind of key').choices(DKIM_ALGORITHMS).default('rsa'))
    .addHelpText(
      'after',
      `${STEPS}${examples('domain rotate-key example.com', 'domain rotate-key example.com --algorithm ed25519')}`,
    )
    .action((name: string, { algorithm }: { readonly algorithm: DkimAlgorithm }) =>
      runner.withData(async (service) => {
        const { storage, clock, dkimSealer } = service
        const found = await requireNamedDomain(service, name)
        const deps = { domains: storage.domains, clock, sealer: dkimSealer }
        const rotated = await rotateKey(deps, { name: found.name, algorithm })
        return { json: { ...toKeysJson(rotated.domain), selector: rotated.key.selector }, text: describe(rotated) }
      }),
    )
}

function describe({ domain, key }: RotatedKey): string {
  const { name } = domain
  const { selector } = key
  const record = findKeyRecord(domain, key)
  const isFirst = key.state === 'current'
  const place = isFirst ? 'its first' : 'beside the one in use, which stays in use'
  const rest = isFirst ? [] : [`  ${PROGRAM} domain promote-key ${name} ${selector}`]
  return [
    `Made the key ${selector} (${describeAlgorithm(key)}) for ${name}, ${place}.`,
    '',
    'Publish this DNS record:',
    describeRecordsToPublish(record ? [record] : [], isFirst ? undefined : 'next key'),
    '',
    'Then:',
    `  ${PROGRAM} domain verify ${name}`,
    ...rest,
    `  ${PROGRAM} domain export-key ${name} --selector ${selector}`,
  ].join('\n')
}
