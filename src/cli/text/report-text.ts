/** The report of a check as people read it and paste it into a ticket: expected and actual values, the SPF policy, what to do. */
import { EXIT, type ExitCode } from '../../describe-failure.ts'
import type { ReportOutcome } from '../../domains/checks/domain-report.ts'
import type { ReportJson } from '../../domains/checks/report-json.ts'
import type { DnsEvidence, DnsServerStatement } from '../../domains/dns-resolver.ts'
import type { DnsRecordPurpose, RequiredDnsRecord } from '../../domains/domain.ts'
import { markDifference, shown } from './difference.ts'
import type { Paint, Style } from './paint.ts'
import { formatTable } from './text-table.ts'

const WARNINGS_MAX = 12

type RecordJson = ReportJson['records'][number]

export interface ReportTextOptions {
  /** Purposes for which any valid value will do, so that no expected value is shown. */
  readonly anyValue?: readonly DnsRecordPurpose[]
  /** The tree of the SPF policy. */
  readonly spfLines?: readonly string[]
}

export const EXIT_CODES: Readonly<Record<ReportOutcome, ExitCode>> = {
  all_right: EXIT.ok,
  record_wrong: EXIT.failed,
  dns_unreachable: EXIT.usage,
}

export function describeReport(
  { records, outcome }: Pick<ReportJson, 'records' | 'outcome'>,
  paint: Paint,
  { anyValue = [], spfLines = [] }: ReportTextOptions = {},
): string {
  return [
    ...(records.length > 0 ? [formatSummary(records, paint)] : []),
    ...records.flatMap((record) => ['', ...describeRecord(record, paint, anyValue)]),
    ...(spfLines.length > 0 ? ['', paint('bold', 'SPF policy'), ...spfLines.map((line) => `  ${line}`)] : []),
    ...describeWarnings(records, paint),
    ...describeTasks(records, outcome, paint),
  ].join('\n')
}

function formatSummary(records: readonly RecordJson[], paint: Paint): string {
  const rows = records.map(({ purpose, type, name, required, diagnosis }) => [
    purpose,
    type,
    name,
    required ? 'required' : 'recommended',
    diagnosis?.replaceAll('_', ' ') ?? 'correct',
  ])
  const [heading = '', ...lines] = formatTable(['RECORD', 'TYPE', 'NAME', '', 'RESULT'], rows, '').split('\n')
  const marked = lines.map((line, index) => {
    const { sign, style } = signOf(records[index])
    return `${paint(style, sign)} ${line}`
  })
  return [`  ${paint('dim', heading)}`, ...marked].join('\n')
}

function signOf(record: RequiredDnsRecord | undefined): { readonly sign: string; readonly style: Style } {
  if (record?.status === 'valid') return { sign: '✓', style: 'green' }
  if (record?.status === 'unknown') return { sign: '?', style: 'yellow' }
  return record?.required ? { sign: '✗', style: 'red' } : { sign: '!', style: 'yellow' }
}

/** Values are on separate lines, so that they can be copied whole. */
function describeRecord(record: RecordJson, paint: Paint, anyValue: readonly DnsRecordPurpose[]): readonly string[] {
  const { purpose, type, name, value, status, actual, error, evidence } = record
  const [expected = value] = error?.required ?? []
  // A correction of what is published is useful even where any value will do.
  const isExpected = !anyValue.includes(purpose) || expected !== value
  const [found = paint('dim', status === 'unknown' ? '(no answer)' : '(nothing)'), ...others] = actual.map(shown)
  const [first] = actual
  const difference = error && isExpected && first !== undefined ? markDifference(expected, first, paint) : undefined
  const { sign, style } = signOf(record)
  const values = difference
    ? [`expected  ${difference.expected}`, `found     ${difference.found}`]
    : [...(isExpected ? [`expected  ${shown(expected)}`] : []), `found     ${found}`]
  return [
    `${paint(style, sign)} ${paint('bold', purpose)}  ${type}  ${name}`,
    ...[
      ...values,
      ...others.map((other) => `          ${other}`),
      ...(difference ? [`          ${paint('dim', difference.remark)}`] : []),
      ...(error && isExpected && type === 'TXT' ? describeStrings(expected, paint) : []),
      ...describeAsked(evidence[0], paint),
    ].map((line) => `    ${line}`),
  ]
}

/** RFC 1035 section 3.3.14: a string of a TXT record has at most 255 bytes; some web forms expect the user to split. */
function describeStrings(value: string, paint: Paint): readonly string[] {
  const strings = value.match(/.{1,255}/g) ?? []
  if (strings.length < 2) return []
  return [
    `          ${paint('dim', 'the expected value split into strings of 255 characters, for forms that require it:')}`,
    `          ${strings.map((text) => JSON.stringify(text)).join(' ')}`,
  ]
}

/** Which servers were queried, and which of them answered differently. */
function describeAsked(evidence: DnsEvidence | undefined, paint: Paint): readonly string[] {
  if (!evidence) return []
  const servers = evidence.steps.flatMap((step) => step.servers)
  const resolvers = evidence.resolvers.map(({ address, isStale }) => `resolver ${address}${isStale ? ' (older)' : ''}`)
  const asked = [...servers.map(describeServer), ...resolvers]
  return asked.length === 0 ? [] : [paint('dim', `queried   ${[...new Set(asked)].join(', ')}`)]
}

function describeServer({ server, statement }: DnsServerStatement): string {
  if (statement.kind === 'unreachable') return `${server} (${statement.failure})`
  const isNone = statement.kind === 'no_such_name' || statement.kind === 'no_such_type'
  return isNone ? `${server} (none)` : server
}

function describeWarnings(records: readonly RecordJson[], paint: Paint): readonly string[] {
  const warnings = [...new Set(records.flatMap(({ warnings: own }) => own))]
  if (warnings.length === 0) return []
  const lines = warnings
    .slice(0, WARNINGS_MAX)
    .map((warning) => `  ${paint('yellow', '!')} ${withoutControls(warning)}`)
  return ['', paint('bold', 'Warnings'), ...lines]
}

/** Required records first; the same advice for several records once. */
function describeTasks(records: readonly RecordJson[], outcome: ReportOutcome, paint: Paint): readonly string[] {
  const failed = records.filter(({ error }) => error)
  const ordered = failed.toSorted((one, other) => Number(other.required) - Number(one.required))
  if (ordered.length === 0) return ['', paint('green', 'All records are correct.')]
  const title = outcome === 'all_right' ? 'Recommended' : 'What to do'
  const tasks = [...Map.groupBy(ordered, ({ error }) => error?.error ?? '')].map(([text, same], index) => {
    const purposes = [...new Set(same.map(({ purpose }) => purpose))].join(', ')
    const aside = same.some(({ required }) => required) ? '' : ' (recommended)'
    return `  ${index + 1}. ${purposes}${aside}: ${withoutControls(text)}`
  })
  return ['', paint('bold', title), ...tasks]
}

/** Our sentences may quote DNS records of strangers: no control sequences or changes of text direction reach the terminal. */
function withoutControls(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, '?')
}
