/** `domain export-key`: the private half of a DKIM key, for the mail server that signs. */
import type { Command } from 'commander'
import type { DkimKey, Domain } from '../domains/domain.ts'
import { requireKey } from '../domains/keys/change-keys.ts'
import { openDkimPrivateKey } from '../domains/records/dkim-key.ts'
import { findKeyInState } from '../domains/records/dkim-keys.ts'
import { AppError } from '../lib/app-error.ts'
import type { CommandRunner } from './command-runner.ts'
import { examples } from './help.ts'
import { requireNamedDomain } from './require-named-domain.ts'

export function addDomainExportKey(parent: Command, runner: CommandRunner): void {
  parent
    .command('export-key')
    .description('Print the private DKIM key of a domain (PKCS #8 PEM) for the mail server that signs.')
    .argument('<name>', 'the domain')
    .option('--selector <selector>', 'which of its keys; the one in use unless given')
    .addHelpText(
      'after',
      examples('domain export-key example.com > example.com.pem', 'domain export-key example.com --json'),
    )
    .action((name: string, options: { readonly selector?: string }) =>
      runner.withData(async (service) => {
        const domain = await requireNamedDomain(service, name)
        const key = options.selector === undefined ? requireCurrentKey(domain) : requireKey(domain, options.selector)
        const privateKey = openDkimPrivateKey(key, service.dkimSealer)
        const { selector } = key
        process.stderr.write(
          `Warning: whoever has this key can sign mail as ${domain.name} (selector ${selector}). Keep it readable by the mail server alone.\n`,
        )
        return { json: { name: domain.name, selector, privateKey }, text: privateKey.trimEnd() }
      }),
    )
}

function requireCurrentKey(domain: Domain): DkimKey {
  const key = findKeyInState(domain, 'current')
  if (!key) throw new AppError('not_found', `${domain.name} has no DKIM key.`)
  return key
}
