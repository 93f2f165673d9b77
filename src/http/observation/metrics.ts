/** Prometheus metrics, in a separate registry. */
import { Counter, Gauge, Histogram, Registry } from '@prometheus-io/client'
import type { HitKind } from '../../../integrations/haraka/lib/tracking/token.mjs'
import { CONNECTOR_NAMES } from '../../connectors/registry.ts'
import { CHECK_OUTCOMES, CHECK_TRIGGERS, isNewlyBroken } from '../../domains/verification/domain-status.ts'
import type { CheckedDomain } from '../../domains/verification/verify-domain.ts'
import type { IngestResult } from '../../events/ingest/ingest-events.ts'
import { IngestMinutes } from '../../events/ingest/ingest-minutes.ts'
import { type Clock, systemClock } from '../../lib/clock.ts'
import { VERSION } from '../../lib/version.ts'
import { REPORT_KINDS } from '../../reports/report.ts'
import { REPORT, REPORT_OUTCOMES, type ReportResult } from '../../reports/report-intake.ts'
import { KEY_REFUSALS, type KeyRefusal } from '../../tenants/authenticate.ts'
import { CLOSE_REASONS, type CloseReason } from '../server/close-reason.ts'
import { processMetrics } from './process-metrics.ts'
import { RenderedMetrics } from './rendered-metrics.ts'
import { addStateGauges, type GaugeSources } from './state-gauges.ts'

/** Seconds. The listing's own budget is one second, a verification may take ten. */
const LATENCY_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

export interface ObservedRequest {
  /** The pattern, never the path: paths contain names, and each would be a separate series. */
  readonly route: string
  readonly method: string
  readonly status: number
  readonly durationMs: number
}

const HIT_OUTCOMES = ['person', 'machine', 'invalid', 'lost'] as const
export type HitOutcome = (typeof HIT_OUTCOMES)[number]

export interface Metrics {
  observeRequest(request: ObservedRequest): void
  /** A connection refused before it had sent a valid request. */
  countRefusedConnection(status: number): void
  /** A connection that a limit closed. */
  countClosedConnection(reason: CloseReason): void
  countIngest(connector: string, result: IngestResult): void
  /** The counts of `countIngest` over the last hour. */
  readonly ingestMinutes: IngestMinutes
  countReport(report: Pick<ReportResult, 'kind' | 'outcome'>): void
  countCheck(checked: CheckedDomain): void
  countHit(kind: HitKind, outcome: HitOutcome): void
  /** An entry of the audit log that could not be written. */
  countLostAudit(): void
  /** An authentic key that may not be used. */
  countKeyRefusal(reason: KeyRefusal): void
  /** A stream of events that was opened or has ended. */
  countStreams(change: 1 | -1): void
  render(): Promise<{ readonly contentType: string; readonly text: string }>
}

export function createMetrics(
  storage: GaugeSources['storage'],
  clock: Clock = systemClock,
  sources: Omit<GaugeSources, 'storage'> = {},
): Metrics {
  const ingestMinutes = new IngestMinutes(clock)
  const registry = new Registry()
  const registers = [registry]
  const ofProcess = processMetrics()
  const count = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Counter({ name, help, labelNames, registers })

  const requests = count(
    'envelog_http_requests_total',
    'Requests by route pattern, method and status.',
    'route',
    'method',
    'status',
  )
  const latency = new Histogram({
    name: 'envelog_http_request_duration_seconds',
    help: 'Time from the first byte of the request to the last byte of the response, by route pattern.',
    labelNames: ['route'],
    buckets: LATENCY_BUCKETS,
    registers,
  })
  const records = count(
    'envelog_ingest_records_total',
    'Stored events, duplicates, rejected and skipped records, by connector.',
    'connector',
    'outcome',
  )
  const countRecords = (connector: string, stored: number, duplicates: number, rejected: number, skipped = 0) => {
    records.inc({ connector, outcome: 'stored' }, stored)
    records.inc({ connector, outcome: 'duplicate' }, duplicates)
    records.inc({ connector, outcome: 'rejected' }, rejected)
    records.inc({ connector, outcome: 'skipped' }, skipped)
  }
  const gauges = addStateGauges(registers, { storage, ...sources })
  new Gauge({
    name: 'envelog_build_info',
    help: 'Always 1; the labels are the versions of Envelog and Node.',
    labelNames: ['version', 'node'],
    registers,
  }).set({ version: VERSION, node: process.versions.node }, 1)
  const commits = new Histogram({
    name: 'envelog_commit_duration_seconds',
    help: 'Duration of commits of events, from handing them to the writing thread until they are durable or failed.',
    buckets: LATENCY_BUCKETS,
    registers,
  })
  storage.observation?.onCommit((durationMs) => commits.observe(durationMs / 1000))
  const streams = new Gauge({ name: 'envelog_streams_open', help: 'Open streams of events.', registers })
  const checks = count('envelog_domain_checks_total', 'Domain checks, by trigger and outcome.', 'trigger', 'outcome')
  const broken = count(
    'envelog_domains_broken_total',
    'Times a verified domain began to fail its checks; consecutive failed checks count once.',
  )
  const hits = count(
    'envelog_tracking_hits_total',
    'Opens and clicks by apparent origin (person or machine), invalid tokens, and hits that could not be recorded.',
    'kind',
    'outcome',
  )
  const reports = count(
    'envelog_reports_total',
    'Bounce messages and feedback reports, by kind and by whether they were tied to a message.',
    'kind',
    'outcome',
  )
  const closed = count(
    'envelog_http_connections_closed_total',
    'Connections that a limit closed, by the limit.',
    'reason',
  )
  const lostAudit = count('envelog_audit_lost_total', 'Entries of the audit log that could not be written.')
  const keyRefusals = count(
    'envelog_key_refusals_total',
    'Requests refused because their API key, though authentic, was revoked, had expired, or does not allow the client network.',
    'reason',
  )
  for (const reason of KEY_REFUSALS) keyRefusals.inc({ reason }, 0)
  // A counter that starts with its first event shows no increase for it, and alerts would miss that event.
  for (const connector of [...CONNECTOR_NAMES, REPORT]) countRecords(connector, 0, 0, 0)
  for (const reason of CLOSE_REASONS) closed.inc({ reason }, 0)
  for (const trigger of CHECK_TRIGGERS) for (const outcome of CHECK_OUTCOMES) checks.inc({ trigger, outcome }, 0)
  for (const kind of ['open', 'click']) for (const outcome of HIT_OUTCOMES) hits.inc({ kind, outcome }, 0)
  for (const kind of REPORT_KINDS) for (const outcome of REPORT_OUTCOMES) reports.inc({ kind, outcome }, 0)

  const rendered = new RenderedMetrics(async () => {
    await gauges.read()
    return [await ofProcess.metrics(), await registry.metrics()].join('\n')
  })
  return {
    observeRequest({ route, method, status, durationMs }) {
      requests.inc({ route, method, status })
      latency.observe({ route }, durationMs / 1000)
    },
    countRefusedConnection: (status) => requests.inc({ route: '(malformed)', method: '(none)', status }),
    countClosedConnection: (reason) => closed.inc({ reason }),
    countIngest(connector, result) {
      countRecords(connector, result.stored, result.duplicates, result.rejected.length, result.skipped)
      ingestMinutes.add(result)
    },
    ingestMinutes,
    countReport: ({ kind, outcome }) => reports.inc({ kind, outcome }),
    countCheck({ trigger, findings, before, after }) {
      checks.inc({ trigger, outcome: findings.outcome })
      if (isNewlyBroken(before, after)) broken.inc()
    },
    countHit: (kind, outcome) => hits.inc({ kind, outcome }),
    countLostAudit: () => lostAudit.inc(),
    countKeyRefusal: (reason) => keyRefusals.inc({ reason }),
    countStreams: (change) => streams.inc(change),
    render: async () => ({ contentType: registry.contentType, text: await rendered.get() }),
  }
}
