/** The records of any domain, checked with nothing stored and nothing changed. */
import { createDns } from '../../../dns/dns.ts'
import { checkDomain } from '../../../domains/checks/check-domain.ts'
import type { DomainReport } from '../../../domains/checks/domain-report.ts'
import { type ReportJson, toReportJson } from '../../../domains/checks/report-json.ts'
import type { DnsRecordPurpose, RequiredDnsRecord } from '../../../domains/domain.ts'
import { parseDomainName } from '../../../domains/domain-name.ts'
import { formatTree } from '../../../domains/spf/tree/format-tree.ts'
import { VERIFY_DEADLINE_MS } from '../../../domains/verification/verify-domain.ts'
import { AppError } from '../../../lib/app-error.ts'
import type { Context, Outcome } from '../../command/command.ts'
import { paintForStdout } from '../../text/paint.ts'
import { describeReport, EXIT_CODES } from '../../text/report-text.ts'
import { formatCount } from '../../text/text-table.ts'

export interface DnsCheckOptions {
  readonly selector?: readonly string[]
  readonly include?: string
  readonly publicKey?: string
}

export async function checkRecords({ config }: Context, name: string, options: DnsCheckOptions): Promise<Outcome> {
  const domainName = parseDomainName(name)
  const records = listRecords(domainName, options)
  const anyValue = listAnyValue(options)
  const dns = createDns({ servers: config.dnsServers ?? [] })
  const report = await checkDomain({ domainName, records }, dns, { deadlineMs: VERIFY_DEADLINE_MS })
  const spfLines = report.spfTree ? formatTree(report.spfTree) : []
  const json = toReportJson(report)
  return {
    json,
    text: [
      describeOutcome(json),
      '',
      describeReport(json, paintForStdout, { anyValue, spfLines }),
      ...describeOpen(report, anyValue),
    ].join('\n'),
    exitCode: EXIT_CODES[json.outcome],
  }
}

function describeOutcome({ domain, outcome, records }: ReportJson): string {
  const wrong = records.filter(({ required, error }) => required && error).length
  switch (outcome) {
    case 'all_right':
      return `${domain}: all required records are correct.`
    case 'record_wrong':
      return `${domain}: ${formatCount(wrong, 'problem')} found.`
    case 'dns_unreachable':
      return `${domain} could not be checked: DNS could not be queried.`
  }
}

/** Purposes whose value the caller has not given: any valid record will do. */
function listAnyValue({ include, publicKey }: DnsCheckOptions): readonly DnsRecordPurpose[] {
  return [...(include === undefined ? (['SPF'] as const) : []), ...(publicKey === undefined ? (['DKIM'] as const) : [])]
}

/** The advice mentions a required value, which only the caller can know. */
function describeOpen({ records }: DomainReport, anyValue: readonly DnsRecordPurpose[]): readonly string[] {
  const isOpen = records.some(({ record }) => record.status === 'invalid' && anyValue.includes(record.purpose))
  if (!isOpen) return []
  return ['', 'To see required values, say what the records must contain: --include for SPF, --public-key for DKIM.']
}

function listRecords(domainName: string, options: DnsCheckOptions): readonly RequiredDnsRecord[] {
  const { selector = [], include, publicKey } = options
  const dkim = dkimValue(publicKey)
  const spf = include === undefined ? 'v=spf1 ~all' : `v=spf1 include:${parseHost('--include', include)} ~all`
  return [
    ...selector.map((label) => expected('DKIM', `${parseSelector(label)}._domainkey.${domainName}`, dkim, true)),
    expected('SPF', domainName, spf, true),
    expected('DMARC', `_dmarc.${domainName}`, 'v=DMARC1; p=none', false),
  ]
}

function expected(
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
    throw new AppError(
      'invalid_request',
      'The value of --public-key is not base64: give what follows p= in the record.',
    )
  }
  const isEd25519 = Buffer.from(key, 'base64').length === 32
  return `v=DKIM1; k=${isEd25519 ? 'ed25519' : 'rsa'}; p=${key}`
}

/** RFC 6376 section 3.1: one or more labels. */
function parseSelector(text: string): string {
  const selector = text.toLowerCase()
  if (/^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/.test(selector)) return selector
  throw new AppError('invalid_request', `${JSON.stringify(text)} is not a DKIM selector.`)
}

/** Like a selector, with a domain: SPF records are often at names such as _spf.example.net. */
function parseHost(option: string, text: string): string {
  const host = text.toLowerCase().replace(/\.$/, '')
  const isHost = host.length <= 253 && /^([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z0-9-]{2,63}$/.test(host)
  if (isHost) return host
  throw new AppError('invalid_request', `The value of ${option} is not a host name: ${JSON.stringify(text)}`)
}
