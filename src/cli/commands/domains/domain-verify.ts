/** `domain verify`: the same check as the interface's, with expected and actual values and what to do. */
import { EXIT } from '../../../describe-failure.ts'
import type { AdminDomainCheck } from '../../../http/v1/administration/domains/domains.wire.ts'
import type { CommandSpec } from '../../command/command.ts'
import { paintForStdout } from '../../text/paint.ts'
import { describeReport, EXIT_CODES } from '../../text/report-text.ts'
import { domainPath, ifNoDomain } from './domain-path.ts'

export const verify: CommandSpec = {
  name: 'verify',
  description: 'Check the DNS records of a domain and update its status.',
  arguments: [['<name>', 'the domain']],
  help: 'Exit code: 0 verified, 1 not verified, 2 DNS could not be queried.',
  examples: ['domain verify example.com'],
  async run({ client, program }, name: string) {
    const options = { ifMissing: ifNoDomain(name) }
    const check = await client.request<AdminDomainCheck>('POST', `${domainPath(name)}/verify`, options)
    const { isVerified, errors, report, outcome } = check
    return {
      json: { isVerified, ...(errors.length > 0 && { verificationErrors: errors }), ...(report && { report }) },
      text: describeCheck(check, program),
      // The domain is not set up: there was nothing to query.
      exitCode: outcome === 'not_checked' ? EXIT.failed : EXIT_CODES[outcome],
    }
  },
}

function describeCheck(check: AdminDomainCheck, program: string): string {
  const { isVerified, errors, report, spf, domain } = check
  const headline = describeStatus(check)
  if (!report) {
    const advice = domain.active ? [] : [`Activate it with: ${program} domain activate ${domain.name}`]
    return [headline, ...errors.map(({ error }) => error), ...advice].join('\n')
  }
  const next = isVerified ? [] : ['', `Then check again: ${program} domain verify ${domain.name}`]
  return [headline, '', describeReport(report, paintForStdout, { spfLines: spf?.lines ?? [] }), ...next].join('\n')
}

function describeStatus({ isVerified, outcome, domain: { name, verified } }: AdminDomainCheck): string {
  if (outcome !== 'dns_unreachable') return `${name} is ${isVerified ? 'verified' : 'not verified'}.`
  return `${name} could not be checked: DNS could not be queried. It stays ${verified ? 'verified' : 'not verified'}.`
}
