/** The report of a check as people read it and paste it into a ticket: wanted and found, the SPF policy, and what to do. */
import { type DomainReport, judgeReport, type RecordReport } from '../domains/checks/domain-report.ts'
import type { DnsEvidence, DnsServerStatement } from '../domains/dns-resolver.ts'
import type { DnsRecordPurpose } from '../domains/domain.ts'
import { formatTree } from '../domains/spf/tree/format-tree.ts'
import { markDifference, shown } from './difference.ts'
import type { Paint, Style } from './paint.ts'
import { formatTable } from './text-table.ts'

/** More warnings say nothing new. */
const WARNINGS_MAX = 12

export interface ReportTextOptions {
  /** Of these whatever works will do, so no value is held against what was found. */
  readonly anyValue?: readonly DnsRecordPurpose[]
}

export function describeReport(report: DomainReport, paint: Paint, { anyValue = [] }: ReportTextOptions = {}): string {
  const { records, spfTree } = report
  const isAsked = records.length > 0
  return [
    ...(isAsked ? [formatSummary(records, paint)] : []),
    ...records.flatMap((record) => ['', ...describeRecord(record, paint, anyValue)]),
    ...(spfTree ? ['', paint('bold', 'SPF policy'), ...formatTree(spfTree).map((line) => `  ${line}`)] : []),
    ...describeWarnings(records, paint),
    ...describeTasks(report, paint),
  ].join('\n')
}

function formatSummary(records: readonly RecordReport[], paint: Paint): string {
  const rows = records.map(({ record, diagnosis }) => [
    record.purpose,
    record.type,
    record.name,
    record.required ? 'required' : 'recommended',
    diagnosis?.replaceAll('_', ' ') ?? 'right',
  ])
  const [heading = '', ...lines] = formatTable(['RECORD', 'TYPE', 'NAME', '', 'RESULT'], rows, '').split('\n')
  const marked = lines.map((line, index) => {
    const { sign, style } = signOf(records[index])
    return `${paint(style, sign)} ${line}`
  })
  return [`  ${paint('dim', heading)}`, ...marked].join('\n')
}

function signOf(report: RecordReport | undefined): { readonly sign: string; readonly style: Style } {
  if (report?.record.status === 'valid') return { sign: '✓', style: 'green' }
  if (report?.record.status === 'unknown') return { sign: '?', style: 'yellow' }
  return report?.record.required ? { sign: '✗', style: 'red' } : { sign: '!', style: 'yellow' }
}

/** The values stand on lines of their own, so that they can be copied whole. */
function describeRecord(
  { record, error, evidence }: RecordReport,
  paint: Paint,
  anyValue: readonly DnsRecordPurpose[],
): readonly string[] {
  const [wanted = record.value] = error?.required ?? []
  // A correction of what is there is of use even then.
  const isWanted = !anyValue.includes(record.purpose) || wanted !== record.value
  const [found = paint('dim', record.status === 'unknown' ? '(no answer)' : '(nothing)'), ...others] =
    record.actual.map(shown)
  const [first] = record.actual
  const difference = error && isWanted && first !== undefined ? markDifference(wanted, first, paint) : undefined
  const { sign, style } = signOf({ record, warnings: [], evidence })
  const values = difference
    ? [`wanted  ${difference.wanted}`, `found   ${difference.found}`]
    : [...(isWanted ? [`wanted  ${shown(wanted)}`] : []), `found   ${found}`]
  return [
    `${paint(style, sign)} ${paint('bold', record.purpose)}  ${record.type}  ${record.name}`,
    ...[
      ...values,
      ...others.map((value) => `        ${value}`),
      ...(difference ? [`        ${paint('dim', difference.remark)}`] : []),
      ...(error && isWanted && record.type === 'TXT' ? describeStrings(wanted, paint) : []),
      ...describeAsked(evidence[0], paint),
    ].map((line) => `    ${line}`),
  ]
}

/** RFC 1035 section 3.3.14: a string of a TXT record has at most 255 bytes, which some forms leave to the one who fills them in. */
function describeStrings(value: string, paint: Paint): readonly string[] {
  const strings = value.match(/.{1,255}/g) ?? []
  if (strings.length < 2) return []
  return [
    `        ${paint('dim', 'the same in strings of 255 characters, where a form asks for them:')}`,
    `        ${strings.map((text) => JSON.stringify(text)).join(' ')}`,
  ]
}

/** Who was asked, and who said something else than the rest. */
function describeAsked(evidence: DnsEvidence | undefined, paint: Paint): readonly string[] {
  if (!evidence) return []
  const servers = evidence.steps.flatMap((step) => step.servers)
  const resolvers = evidence.resolvers.map(({ address, isStale }) => `resolver ${address}${isStale ? ' (older)' : ''}`)
  const asked = [...servers.map(describeServer), ...resolvers]
  return asked.length === 0 ? [] : [paint('dim', `asked   ${[...new Set(asked)].join(', ')}`)]
}

function describeServer({ server, statement }: DnsServerStatement): string {
  switch (statement.kind) {
    case 'records':
    case 'alias':
      return server
    case 'no_such_name':
    case 'no_such_type':
      return `${server} (none)`
    case 'unreachable':
      return `${server} (${statement.failure})`
  }
}

function describeWarnings(records: readonly RecordReport[], paint: Paint): readonly string[] {
  const warnings = [...new Set(records.flatMap(({ warnings: own }) => own))]
  if (warnings.length === 0) return []
  const lines = warnings
    .slice(0, WARNINGS_MAX)
    .map((warning) => `  ${paint('yellow', '!')} ${withoutControls(warning)}`)
  return ['', paint('bold', 'Warnings'), ...lines]
}

/** What blocks first; what is the same for several records once. */
function describeTasks(report: DomainReport, paint: Paint): readonly string[] {
  const failed = report.records.filter(({ error }) => error)
  const ordered = failed.toSorted((one, other) => Number(other.record.required) - Number(one.record.required))
  if (ordered.length === 0) return ['', paint('green', 'All records are right.')]
  const title = judgeReport(report) === 'all_right' ? 'Recommended' : 'What to do'
  const tasks = [...Map.groupBy(ordered, ({ error }) => error?.error ?? '')].map(([text, same], index) => {
    const purposes = [...new Set(same.map(({ record }) => record.purpose))].join(', ')
    const aside = same.some(({ record }) => record.required) ? '' : ' (recommended)'
    return `  ${index + 1}. ${purposes}${aside}: ${withoutControls(text)}`
  })
  return ['', paint('bold', title), ...tasks]
}

/** Sentences of ours may quote a stranger, who must not write to the terminal, nor turn the direction of writing. */
function withoutControls(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, '?')
}
