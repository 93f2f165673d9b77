/** `dns check`: the records of any domain, with nothing stored and nothing changed. */
import type { Command } from 'commander'
import { EXIT, type ExitCode } from '../describe-failure.ts'
import { createDns } from '../dns/dns.ts'
import { checkDomain } from '../domains/checks/check-domain.ts'
import { type DomainReport, judgeReport, type ReportOutcome } from '../domains/checks/domain-report.ts'
import { toReportJson } from '../domains/checks/report-json.ts'
import type { DnsRecordPurpose, RequiredDnsRecord } from '../domains/domain.ts'
import { parseDomainName } from '../domains/domain-name.ts'
import { VERIFY_DEADLINE_MS } from '../domains/verification/verify-domain.ts'
import { AppError } from '../lib/app-error.ts'
import type { CommandRunner } from './command-runner.ts'
import { examples } from './help.ts'
import { paintForStdout } from './paint.ts'
import { describeReport } from './report-text.ts'

interface DnsCheckOptions {
  readonly selector?: readonly string[]
  readonly include?: string
  readonly publicKey?: string
}

export function addDnsCheck(parent: Command, runner: CommandRunner): void {
  parent
    .command('check')
    .description('Check the DKIM, SPF and DMARC records of any domain. Nothing is stored.')
    .argument('<name>', 'the domain')
    .option('--selector <name>', 'a DKIM selector, as often as there are; without one DKIM is not checked', addValue)
    .option(
      '--public-key <base64>',
      'the key that must be at the selector, as in the p= tag; without it any key will do',
    )
    .option('--include <host>', 'what the SPF policy must include; without it the policy itself is checked')
    .addHelpText(
      'after',
      `\nExit code: 0 right, 1 wrong, 2 DNS could not be asked.\n${examples('dns check example.com --selector s1 --include spf.example.net')}`,
    )
    .action((name: string, options: DnsCheckOptions) =>
      runner.withConfig(async ({ dnsServers }) => {
        const domainName = parseDomainName(name)
        const records = listRecords(domainName, options)
        const anyValue = listAnyValue(options)
        const dns = createDns({ servers: dnsServers ?? [] })
        const report = await checkDomain({ domainName, records }, dns, { deadlineMs: VERIFY_DEADLINE_MS })
        return {
          json: toReportJson(report),
          text: [
            describeOutcome(report),
            '',
            describeReport(report, paintForStdout, { anyValue }),
            ...describeOpen(report, anyValue),
          ].join('\n'),
          exitCode: exitCodeOf(judgeReport(report)),
        }
      }),
    )
}

function describeOutcome(report: DomainReport): string {
  const { domainName } = report
  switch (judgeReport(report)) {
    case 'all_right':
      return `${domainName} is right: every required record is as it should be.`
    case 'record_wrong':
      return `${domainName} is wrong: a required record is missing or not as it should be.`
    case 'dns_unreachable':
      return `${domainName} could not be checked: DNS could not be asked.`
  }
}

/** What was not said to be in a record is not asked of it. */
function listAnyValue({ include, publicKey }: DnsCheckOptions): readonly DnsRecordPurpose[] {
  return [...(include === undefined ? (['SPF'] as const) : []), ...(publicKey === undefined ? (['DKIM'] as const) : [])]
}

/** Advice speaks of a required value, which only the one who asks can know. */
function describeOpen({ records }: DomainReport, anyValue: readonly DnsRecordPurpose[]): readonly string[] {
  const isOpen = records.some(({ record }) => record.status === 'invalid' && anyValue.includes(record.purpose))
  if (!isOpen) return []
  return ['', 'To see required values, say what the records must hold: --include for SPF, --public-key for DKIM.']
}

function addValue(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value]
}

const EXIT_CODES: Readonly<Record<ReportOutcome, ExitCode>> = {
  all_right: EXIT.ok,
  record_wrong: EXIT.failed,
  dns_unreachable: EXIT.usage,
}

export function exitCodeOf(outcome: ReportOutcome): ExitCode {
  return EXIT_CODES[outcome]
}

function listRecords(domainName: string, options: DnsCheckOptions): readonly RequiredDnsRecord[] {
  const { selector = [], include, publicKey } = options
  const dkim = dkimValue(publicKey)
  const spf = include === undefined ? 'v=spf1 ~all' : `v=spf1 include:${parseHost('--include', include)} ~all`
  return [
    ...selector.map((label) => wanted('DKIM', `${parseSelector(label)}._domainkey.${domainName}`, dkim, true)),
    wanted('SPF', domainName, spf, true),
    wanted('DMARC', `_dmarc.${domainName}`, 'v=DMARC1; p=none', false),
  ]
}

function wanted(
  purpose: RequiredDnsRecord['purpose'],
  name: string,
  value: string,
  required: boolean,
): RequiredDnsRecord {
  return { type: 'TXT', purpose, name, value, required, status: 'pending', actual: [] }
}

/** RFC 8463 section 4: an Ed25519 key is 32 bytes. */
function dkimValue(publicKey: string | undefined): string {
  if (publicKey === undefined) return 'v=DKIM1'
  const key = publicKey.replace(/\s+/g, '')
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(key) || key.length % 4 !== 0) {
    throw new AppError('invalid_request', 'The value of --public-key is not base64: give what follows p= in the record')
  }
  const isEd25519 = Buffer.from(key, 'base64').length === 32
  return `v=DKIM1; k=${isEd25519 ? 'ed25519' : 'rsa'}; p=${key}`
}

/** RFC 6376 section 3.1: one label or more. */
function parseSelector(text: string): string {
  const selector = text.toLowerCase()
  if (/^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/.test(selector)) return selector
  throw new AppError('invalid_request', `${JSON.stringify(text)} is not a DKIM selector`)
}

/** Like a selector, and with a domain: many an SPF record is at a name such as _spf.example.net. */
function parseHost(option: string, text: string): string {
  const host = text.toLowerCase().replace(/\.$/, '')
  const isHost = host.length <= 253 && /^([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z0-9-]{2,63}$/.test(host)
  if (isHost) return host
  throw new AppError('invalid_request', `The value of ${option} is not a host name: ${JSON.stringify(text)}`)
}
