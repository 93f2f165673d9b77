/** `domain add`: a sender domain, its DKIM key and the records to publish. */
import type { Command } from 'commander'
import { addDomain } from '../domains/add-domain.ts'
import type { CommandRunner } from './command-runner.ts'
import { describeRecordsToPublish, describeState } from './domain-text.ts'
import { examples, PROGRAM } from './help.ts'
import { toDomainJson } from './wire-mappers.ts'

interface DomainAddOptions {
  readonly tenant: string
  readonly active?: boolean
  readonly description?: string
  readonly sendingEmail?: string
}

export function addDomainAdd(parent: Command, runner: CommandRunner): void {
  parent
    .command('add')
    .description('Add a sender domain to a tenant, make its DKIM key and show the DNS records to publish.')
    .argument('<name>', 'the domain, such as example.com')
    .requiredOption('--tenant <name>', 'the tenant that owns it')
    .option('--active', 'let it be verified at once; otherwise it waits for domain activate')
    .option('--description <text>', 'a note of your own')
    .option('--sending-email <address>', 'its sending address; postmaster@<name> unless given')
    .addHelpText('after', examples('domain add example.com --tenant Acme --active'))
    .action((name: string, options: DomainAddOptions) =>
      runner.withData(async ({ storage, clock, dkimSealer, recordOptions }) => {
        const { tenant, active = false, ...texts } = options
        const deps = {
          domains: storage.domains,
          keys: storage.keys,
          sealer: dkimSealer,
          clock,
          ...recordOptions,
        }
        const domain = await addDomain(deps, { name, tenantName: tenant, isActive: active, ...pickTexts(texts) })
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
      }),
    )
}

function pickTexts({ description, sendingEmail }: Pick<DomainAddOptions, 'description' | 'sendingEmail'>) {
  return { ...(description !== undefined && { description }), ...(sendingEmail !== undefined && { sendingEmail }) }
}
