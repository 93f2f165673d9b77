/** `domain verify`: the same check as the interface's, with what was wanted, what was found and what to do. */
import type { Command } from 'commander'
import { EXIT, type ExitCode } from '../describe-failure.ts'
import { judgeReport } from '../domains/checks/domain-report.ts'
import { toReportJson } from '../domains/checks/report-json.ts'
import type { Domain } from '../domains/domain.ts'
import { type VerifyDomainResult, verifyDomain } from '../domains/verification/verify-domain.ts'
import type { CommandRunner } from './command-runner.ts'
import { exitCodeOf } from './dns-check.ts'
import { examples, PROGRAM } from './help.ts'
import { paintForStdout } from './paint.ts'
import { describeReport } from './report-text.ts'
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
      runner.withData(async (service) => {
        const { storage, dns, clock } = service
        const { id } = await requireNamedDomain(service, name)
        const result = await verifyDomain({ domains: storage.domains, dns, clock }, { domainId: id })
        const { report } = result
        const domain = await requireNamedDomain(service, name)
        return {
          json: { ...(await toVerificationJson(result)), ...(report && { report: toReportJson(report) }) },
          text: describeResult(domain, result),
          exitCode: findExitCode(result),
        }
      }),
    )
}

function describeResult(domain: Domain, result: VerifyDomainResult): string {
  const { isVerified, errors, report } = result
  const headline = describeStatus(domain, result)
  if (!report) {
    const advice = domain.isActive ? [] : [`Activate it with: ${PROGRAM} domain activate ${domain.name}`]
    return [headline, ...errors.map(({ error }) => error), ...advice].join('\n')
  }
  const next = isVerified ? [] : ['', `Then check again: ${PROGRAM} domain verify ${domain.name}`]
  return [headline, '', describeReport(report, paintForStdout), ...next].join('\n')
}

/** What could not be asked changes nothing. */
function describeStatus({ name, isVerified: isKept }: Domain, { isVerified, report }: VerifyDomainResult): string {
  const isAsked = !report || judgeReport(report) !== 'dns_unreachable'
  if (isAsked) return `${name} is ${isVerified ? 'verified' : 'not verified'}.`
  return `${name} could not be checked: DNS could not be asked. It stays ${isKept ? 'verified' : 'not verified'}.`
}

/** Without a report nothing was asked: the domain is not set up. */
function findExitCode({ report }: VerifyDomainResult): ExitCode {
  return report ? exitCodeOf(judgeReport(report)) : EXIT.failed
}
