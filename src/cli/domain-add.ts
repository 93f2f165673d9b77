/** `domain add`: a sender domain, its DKIM key and the records to publish. */
import type { Command } from 'commander'
import { addDomain } from '../domains/registration/add-domain.ts'
import { AppError } from '../lib/app-error.ts'
import type { CommandRunner } from './command-runner.ts'
import { describeRecordsToPublish, describeState } from './domain-text.ts'
import { examples, PROGRAM } from './help.ts'
import { toDomainJson } from './wire-mappers.ts'

interface DomainAddOptions {
  readonly tenant?: string
  readonly active?: boolean
  readonly description?: string
  readonly sendingEmail?: string
}

export function addDomainAdd(parent: Command, runner: CommandRunner): void {
  parent
    .command('add')
    .description('Add a sender domain to a tenant, make its DKIM key and show the DNS records to publish.')
    // Neither is left to the parser to demand, which names one missing thing at a time.
    .usage('<name> --tenant <tenant> [options]')
    .argument('[name]', 'the domain, such as example.com')
    .option('--tenant <tenant>', 'the tenant that owns it')
    .option('--active', 'let it be verified at once; otherwise it waits for domain activate')
    .option('--description <text>', 'a note of your own')
    .option('--sending-email <address>', 'its sending address; postmaster@<name> unless given')
    .addHelpText('after', examples('domain add example.com --tenant Acme --active'))
    .action((name: string | undefined, options: DomainAddOptions) => {
      const { active = false, ...texts } = options
      const owned = requireBoth(name, options.tenant)
      return runner.withData(async ({ storage, clock, dkimSealer, recordOptions }) => {
        const deps = {
          domains: storage.domains,
          keys: storage.keys,
          sealer: dkimSealer,
          clock,
          ...recordOptions,
        }
        const domain = await addDomain(deps, { ...owned, isActive: active, ...pickTexts(texts) })
        const next = active ? [] : [`  ${PROGRAM} domain activate ${domain.name}`]
        return {
          json: await toDomainJson(domain),
          text: [
            `Added ${domain.name} (id ${domain.id}): ${describeState(domain)}.`,
            '',
            'Publish these DNS records:',
            describeRecordsToPublish(domain.dnsRecords),
            '',
            'Then:',
            ...next,
            `  ${PROGRAM} domain verify ${domain.name}`,
            `The mail server signs with the key of: ${PROGRAM} domain export-key ${domain.name}`,
          ].join('\n'),
        }
      })
    })
}

function requireBoth(name: string | undefined, tenantName: string | undefined) {
  if (name !== undefined && tenantName !== undefined) return { name, tenantName }
  const missing = [
    ...(name === undefined ? ["the domain's name"] : []),
    ...(tenantName === undefined ? ['--tenant NAME'] : []),
  ]
  const [first = '', ...rest] = missing.join(' and ')
  throw new AppError(
    'invalid_request',
    `${first.toUpperCase()}${rest.join('')} ${missing.length === 1 ? 'is' : 'are'} missing, as in: ${PROGRAM} domain add example.com --tenant Acme`,
  )
}

function pickTexts({ description, sendingEmail }: Pick<DomainAddOptions, 'description' | 'sendingEmail'>) {
  return { ...(description !== undefined && { description }), ...(sendingEmail !== undefined && { sendingEmail }) }
}
