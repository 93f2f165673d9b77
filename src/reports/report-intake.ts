/** Use case: stores the events of a report; a report that cannot be tied to a message is quarantined. */
import type { Knowledge } from '../classification/knowledge.ts'
import type { Connector } from '../events/ingest/connector.ts'
import { type IngestDependencies, type IngestResult, ingestRecords } from '../events/ingest/ingest-events.ts'
import type { Source } from '../events/ingest/quarantine-room.ts'
import { AppError } from '../lib/app-error.ts'
import { exactTime } from '../lib/clock.ts'
import type { Report, ReportKind } from './report.ts'
import { type Finding, type KeptTimes, toFindings } from './report-events.ts'
import { type TieDependencies, tieReport } from './tie-report.ts'

/** The name of reports in the quarantine and in metrics. */
export const REPORT = 'report'

/** The report itself comes first, then the returned message. Only this much is read and kept. */
export const REPORT_BYTES_MAX = 262_144

export interface IntakeDependencies extends IngestDependencies, TieDependencies {
  readonly log: IngestDependencies['log'] & TieDependencies['log']
  readonly domains: IngestDependencies['domains'] & TieDependencies['domains']
  readonly knowledge: Knowledge
  /** Throws AppError `invalid_payload` for a message that cannot be parsed. */
  readonly readReport: (message: Uint8Array) => Report
}

/** `tied`: all events stored. `ignored`: nothing to store, such as a success. `quarantined`: all of it or a part. */
export const REPORT_OUTCOMES = ['tied', 'ignored', 'quarantined'] as const

export type ReportOutcome = (typeof REPORT_OUTCOMES)[number]

export interface ReportResult extends IngestResult {
  readonly kind: ReportKind
  readonly outcome: ReportOutcome
}

/** A report that was examined but not stored yet. */
export interface ExaminedReport {
  readonly kind: ReportKind
  readonly isTied: boolean
  /** An estimate of the processor time that it takes, in milliseconds. */
  readonly workMs: number
  /** Resolves when the report is durable, in the log or in the quarantine. Rejects if storage cannot commit. */
  store(): Promise<ReportResult>
}

export interface ReportIntake {
  /** Never rejects because of the content of the message. */
  examine(message: Uint8Array, source: Source): Promise<ExaminedReport>
  ingest(message: Uint8Array, source: Source): Promise<ReportResult>
}

export function createReportIntake(dependencies: IntakeDependencies): ReportIntake {
  const examine: ReportIntake['examine'] = async (message, source) => {
    const payload = message.subarray(0, REPORT_BYTES_MAX)
    const report = read(dependencies, payload)
    const { kind, isTied, findings, spentMs } = await look(dependencies, report)
    const store = () => storeFindings(dependencies, { payload, kind, findings, source })
    return { kind, isTied, workMs: readMs(payload, report) + spentMs + STORE_MS, store }
  }
  return { examine, ingest: async (message, source) => (await examine(message, source)).store() }
}

/** Estimates: of the slowest messages to parse, of the slowest words, and of storing events or a quarantined report. */
const READ_BYTES_PER_MS = 50_000
const WORDS_BYTES_PER_MS = 1000
/** No more words are read. */
const WORDS_BYTES_MAX = 8000
const STORE_MS = 1

/** A message without fields for programs is judged by its words, which takes longer for its size. */
function readMs({ length }: Uint8Array, report: Report): number {
  const hasFields = report.kind === 'feedback' || (report.kind === 'delivery' && report.isFreeText !== true)
  const words = hasFields ? 0 : Math.min(length, WORDS_BYTES_MAX)
  return length / READ_BYTES_PER_MS + words / WORDS_BYTES_PER_MS
}

interface Look {
  readonly kind: ReportKind
  readonly isTied: boolean
  readonly findings: readonly Finding[]
  readonly spentMs: number
}

/** A message that cannot be parsed is not lost either: it is of an unknown kind. */
function read({ readReport }: IntakeDependencies, payload: Uint8Array): Report {
  try {
    return readReport(payload)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { kind: 'unknown', sentTo: [], times: [], returned: { to: [], references: [] }, excess: error.message }
  }
}

async function look(dependencies: IntakeDependencies, report: Report): Promise<Look> {
  const { kind, excess } = report
  // Before any cryptography: a report that has more of something than real ones have is not examined further.
  if (excess !== undefined) return { kind, isTied: false, findings: [{ problem: excess }], spentMs: 0 }
  const result = await tieReport(dependencies, report)
  const { spentMs } = result
  const isTied = 'tie' in result
  if (report.kind === 'reply' || report.kind === 'unknown') {
    const problem = 'the message is not a delivery status notification or a feedback report'
    return { kind, isTied, findings: report.kind === 'reply' ? [] : [{ problem }], spentMs }
  }
  const findings = isTied
    ? toFindings(report, result.tie, dependencies.knowledge, keptTimes(dependencies))
    : [{ problem: result.problem }]
  return { kind, isTied, findings, spentMs }
}

function keptTimes({ clock, knownTime = exactTime(clock), retentionMs }: IntakeDependencies): KeptTimes {
  const { earliestMs, latestMs } = knownTime
  return {
    oldest: (earliestMs - retentionMs) / 1000,
    newest: latestMs / 1000 + 3600,
    arrived: Math.floor(clock() / 1000),
  }
}

/** Each event is a record of its own, so that an unknown recipient does not affect the others. */
async function storeFindings(
  dependencies: IntakeDependencies,
  { payload, kind, findings, source }: { payload: Uint8Array; source: Source } & Pick<Look, 'kind' | 'findings'>,
): Promise<ReportResult> {
  const problems = new Set(findings.flatMap((finding) => ('problem' in finding ? [finding.problem] : [])))
  const events = findings.filter((finding) => 'event' in finding)
  const values = problems.size === 0 ? events : [...events, { problem: [...problems].join('; ') }]
  const records = values.map((value) => ({ payload, value }))
  const { stored, duplicates, rejected } = await ingestRecords(dependencies, CONNECTOR, records, { source })
  const errors = [...new Set(rejected.map(({ error }) => error))]
  const outcome = errors.length > 0 ? 'quarantined' : findings.length > 0 ? 'tied' : 'ignored'
  return {
    kind,
    outcome,
    stored,
    duplicates,
    rejected: errors.length > 0 ? [{ index: 0, error: errors.join('; ') }] : [],
  }
}

const CONNECTOR: Connector = {
  name: REPORT,
  toEvents(value) {
    const finding = value as Finding
    if ('problem' in finding) throw new AppError('invalid_payload', finding.problem)
    return [finding]
  },
}
