/** Use case: a report in, events in the log; what cannot be tied to a message of ours goes to the quarantine. */
import type { Connector } from '../events/connector.ts'
import { type IngestDependencies, type IngestResult, ingestRecords } from '../events/ingest-events.ts'
import { AppError } from '../lib/app-error.ts'
import type { Report, ReportKind } from './report.ts'
import { type Finding, type KeptTimes, type ReportKnowledge, toFindings } from './report-events.ts'
import { type TieDependencies, tieReport } from './tie-report.ts'

/** What the quarantine and the metrics call them. */
export const REPORT = 'report'

/** Reports say what they have to say first; what comes behind is the message that is returned. No more is read or kept. */
export const REPORT_BYTES_MAX = 262_144

export interface IntakeDependencies extends IngestDependencies, Pick<TieDependencies, 'references' | 'allowsUnsigned'> {
  readonly knowledge: ReportKnowledge
  /** Throws AppError `invalid_payload` for what is no message. */
  readonly readReport: (message: Uint8Array) => Report
}

/** `tied`: to a message of ours. `ignored`: nothing went wrong, or nothing was reported. `quarantined`: all or a part of it. */
export const REPORT_OUTCOMES = ['tied', 'ignored', 'quarantined'] as const

export type ReportOutcome = (typeof REPORT_OUTCOMES)[number]

export interface ReportResult extends IngestResult {
  readonly kind: ReportKind
  readonly outcome: ReportOutcome
}

/** A report that was looked at, and of which nothing is stored yet. */
export interface ExaminedReport {
  readonly kind: ReportKind
  readonly isTied: boolean
  /** Durable when it resolves, in the log or in the quarantine. Rejects where storage cannot commit; then nothing is kept. */
  store(): Promise<ReportResult>
}

export interface ReportIntake {
  /** Whatever the message holds, this does not reject because of it. */
  examine(message: Uint8Array): Promise<ExaminedReport>
  ingest(message: Uint8Array): Promise<ReportResult>
}

export function createReportIntake(dependencies: IntakeDependencies): ReportIntake {
  const examine: ReportIntake['examine'] = async (message) => {
    const payload = message.subarray(0, REPORT_BYTES_MAX)
    const { kind, isTied, findings } = await look(dependencies, payload)
    return { kind, isTied, store: () => store(dependencies, payload, kind, findings) }
  }
  return { examine, ingest: async (message) => (await examine(message)).store() }
}

interface Look {
  readonly kind: ReportKind
  readonly isTied: boolean
  readonly findings: readonly Finding[]
}

async function look(dependencies: IntakeDependencies, payload: Uint8Array): Promise<Look> {
  let report: Report
  try {
    report = dependencies.readReport(payload)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { kind: 'unknown', isTied: false, findings: [{ problem: error.message }] }
  }
  const tie = await tieReport(dependencies, report)
  const { kind } = report
  const isTied = tie !== undefined
  if (report.kind === 'reply' || report.kind === 'unknown') {
    const problem = 'the message is neither a delivery report nor a complaint'
    return { kind, isTied, findings: report.kind === 'reply' ? [] : [{ problem }] }
  }
  if (!tie)
    return { kind, isTied, findings: [{ problem: 'the report carries nothing that was signed or issued here' }] }
  return { kind, isTied, findings: toFindings(report, tie, dependencies.knowledge, keptTimes(dependencies)) }
}

function keptTimes({ clock, retentionMs }: IntakeDependencies): KeptTimes {
  const now = Math.floor(clock() / 1000)
  return { oldest: now - Math.floor(retentionMs / 1000), newest: now + 3600 }
}

/** Each event is a record, so that one recipient who is not known does not cost the others their place in the log. */
async function store(
  dependencies: IntakeDependencies,
  payload: Uint8Array,
  kind: ReportKind,
  findings: readonly Finding[],
): Promise<ReportResult> {
  const problems = new Set(findings.flatMap((finding) => ('problem' in finding ? [finding.problem] : [])))
  const events = findings.filter((finding) => 'event' in finding)
  const values = problems.size === 0 ? events : [...events, { problem: [...problems].join('; ') }]
  const records = values.map((value) => ({ payload, value }))
  const { stored, duplicates, rejected } = await ingestRecords(dependencies, CONNECTOR, records)
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
