/** `domain verify`: the same check as the interface's, with what was wanted and what was found. */
import type { Command } from 'commander'
import { EXIT, type ExitCode } from '../describe-failure.ts'
import type { VerificationError } from '../domains/domain.ts'
import { verifyDomain } from '../domains/verify-domain.ts'
import type { CommandRunner } from './command-runner.ts'
import { describeCheckedRecords } from './domain-text.ts'
import { examples, PROGRAM } from './help.ts'
import { requireNamedDomain } from './require-named-domain.ts'
import { toVerificationJson } from './wire-mappers.ts'

export function addDomainVerify(parent: Command, runner: CommandRunner): void {
  parent
    .command('verify')
    .description('Check the DNS records of a domain and update its status.')
    .argument('<name>', 'the domain')
    .addHelpText(
      'after',
      `\nExit code: 0 verified, 1 not verified, 2 DNS could not be asked.\n${examples('domain verify example.com')}`,
    )
    .action((name: string) =>
      runner.withService(async (service) => {
        const { storage, dns, clock } = service
        const { id } = await requireNamedDomain(service, name)
        const result = await verifyDomain({ domains: storage.domains, dns, clock }, { domainId: id })
        const domain = await requireNamedDomain(service, name)
        const advice = domain.isActive ? [] : [`Activate it with: ${PROGRAM} domain activate ${domain.name}`]
        return {
          json: await toVerificationJson(result),
          text: [
            `${domain.name} is ${result.isVerified ? 'verified' : 'not verified'}.`,
            describeCheckedRecords(domain.dnsRecords),
            ...(result.errors.length > 0 ? ['', 'Problems:'] : []),
            ...result.errors.map(({ type, error }) => `  ${type}: ${error}`),
            ...advice,
          ].join('\n'),
          exitCode: exitCodeOf(result.isVerified, result.errors),
        }
      }),
    )
}

/** A record that was seen to be wrong outweighs one that could not be looked at. */
function exitCodeOf(isVerified: boolean, errors: readonly VerificationError[]): ExitCode {
  if (isVerified) return EXIT.ok
  return errors.every(({ type }) => type === 'SYSTEM') ? EXIT.usage : EXIT.failed
}
