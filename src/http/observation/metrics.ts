/** What the service says about itself to Prometheus, on a registry of its own. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from '@prometheus-io/client'
import type { HitKind } from '../../../integrations/haraka/lib/tracking/token.mjs'
import { CONNECTOR_NAMES } from '../../connectors/registry.ts'
import type { DomainStore } from '../../domains/domain-store.ts'
import { isNewlyBroken } from '../../domains/verification/domain-status.ts'
import type { CheckedDomain } from '../../domains/verification/verify-domain.ts'
import type { IngestResult } from '../../events/ingest/ingest-events.ts'
import { IngestMinutes } from '../../events/ingest/ingest-minutes.ts'
import { type Clock, systemClock } from '../../lib/clock.ts'
import { REPORT_KINDS } from '../../reports/report.ts'
import { REPORT, REPORT_OUTCOMES, type ReportResult } from '../../reports/report-intake.ts'
import type { Storage } from '../../storage/storage.ts'

/** Seconds. The listing's own budget is one second, a verification may take ten. */
const LATENCY_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

export interface ObservedRequest {
  /** The pattern, never the path: paths hold names, and each would be a series of its own. */
  readonly route: string
  readonly method: string
  readonly status: number
  readonly durationMs: number
}

export type HitOutcome = 'person' | 'machine' | 'invalid' | 'lost'

export interface Metrics {
  observeRequest(request: ObservedRequest): void
  /** Something that was refused before it became a request. */
  countRefusedConnection(status: number): void
  countIngest(connector: string, result: IngestResult): void
  /** What `countIngest` was told, over the last hour. */
  readonly ingestMinutes: IngestMinutes
  countReport(report: Pick<ReportResult, 'kind' | 'outcome'>): void
  countCheck(checked: CheckedDomain): void
  countHit(kind: HitKind, outcome: HitOutcome): void
  render(): Promise<{ readonly contentType: string; readonly text: string }>
}

export function createMetrics(
  storage: Pick<Storage, 'health' | 'control' | 'capabilities'>,
  clock: Clock = systemClock,
): Metrics {
  const ingestMinutes = new IngestMinutes(clock)
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })

  const requests = new Counter({
    name: 'envelog_http_requests_total',
    help: 'Requests by route pattern, method and status.',
    labelNames: ['route', 'method', 'status'],
    registers,
  })
  const latency = new Histogram({
    name: 'envelog_http_request_duration_seconds',
    help: 'Time from the first byte of the request to the last of the answer, by route pattern.',
    labelNames: ['route'],
    buckets: LATENCY_BUCKETS,
    registers,
  })
  const records = new Counter({
    name: 'envelog_ingest_records_total',
    help: 'Events stored, events that were there already, and records rejected, by connector.',
    labelNames: ['connector', 'outcome'],
    registers,
  })
  const countIngest = (connector: string, stored: number, duplicates: number, rejected: number) => {
    records.inc({ connector, outcome: 'stored' }, stored)
    records.inc({ connector, outcome: 'duplicate' }, duplicates)
    records.inc({ connector, outcome: 'rejected' }, rejected)
  }
  // A series that begins with its first event has no rise to that event: alerts would miss it.
  for (const connector of [...CONNECTOR_NAMES, REPORT]) countIngest(connector, 0, 0, 0)
  addStorageGauges(registry, storage)
  addDomainGauge(registry, storage.control.domains)
  const countCheck = createCheckCounters(registry)
  const countHit = createHitCounter(registry)
  const countReport = createReportCounter(registry)

  return {
    observeRequest({ route, method, status, durationMs }) {
      requests.inc({ route, method, status })
      latency.observe({ route }, durationMs / 1000)
    },
    countRefusedConnection(status) {
      requests.inc({ route: '(malformed)', method: '(none)', status })
    },
    countIngest(connector, result) {
      countIngest(connector, result.stored, result.duplicates, result.rejected.length)
      ingestMinutes.add(result)
    },
    ingestMinutes,
    countReport,
    countCheck,
    countHit,
    async render() {
      return { contentType: registry.contentType, text: await registry.metrics() }
    },
  }
}

/** Read once when Prometheus asks: the first gauge is collected first and fills the others in. */
function addStorageGauges(registry: Registry, storage: Pick<Storage, 'health' | 'capabilities'>): void {
  const registers = [registry]
  const writable = new Gauge({
    name: 'envelog_storage_writable',
    help: 'Whether storage can commit: 1 or 0.',
    registers,
    collect() {
      const { health } = storage
      writable.set(Number(health.writable))
      queued.set(health.queuedEvents)
      dayFiles.set(storage.capabilities.days?.count ?? 0)
    },
  })
  const queued = new Gauge({
    name: 'envelog_storage_queued_events',
    help: 'Events accepted from callers and not yet committed.',
    registers,
  })
  const dayFiles = new Gauge({ name: 'envelog_storage_day_files', help: 'Files of events, one a day.', registers })
}

function addDomainGauge(registry: Registry, store: Pick<DomainStore, 'census'>): void {
  const domains = new Gauge({
    name: 'envelog_domains',
    help: 'Domains by state. Failing ones are still verified, and lose that if the next check finds the same.',
    labelNames: ['state'],
    registers: [registry],
    async collect() {
      for (const [state, count] of Object.entries(await store.census())) domains.set({ state }, count)
    },
  })
}

function createReportCounter(registry: Registry): Metrics['countReport'] {
  const reports = new Counter({
    name: 'envelog_reports_total',
    help: 'Bounces and complaints that came back as mail, by what they are and whether they were tied to a message.',
    labelNames: ['kind', 'outcome'],
    registers: [registry],
  })
  for (const kind of REPORT_KINDS) for (const outcome of REPORT_OUTCOMES) reports.inc({ kind, outcome }, 0)
  return ({ kind, outcome }) => reports.inc({ kind, outcome })
}

function createHitCounter(registry: Registry): Metrics['countHit'] {
  const hits = new Counter({
    name: 'envelog_tracking_hits_total',
    help: 'Opens and clicks by apparent origin (person or machine), invalid tokens, and hits that could not be recorded.',
    labelNames: ['kind', 'outcome'],
    registers: [registry],
  })
  for (const kind of ['open', 'click'] as const) {
    for (const outcome of ['person', 'machine', 'invalid', 'lost'] as const) hits.inc({ kind, outcome }, 0)
  }
  return (kind, outcome) => hits.inc({ kind, outcome })
}

function createCheckCounters(registry: Registry): (checked: CheckedDomain) => void {
  const registers = [registry]
  const checks = new Counter({
    name: 'envelog_domain_checks_total',
    help: 'Checks of the DNS records of domains, by what caused them and what they found.',
    labelNames: ['trigger', 'outcome'],
    registers,
  })
  const broken = new Counter({
    name: 'envelog_domains_broken_total',
    help: 'Verified domains whose records were then found wrong; each time counts once, however many checks find it.',
    registers,
  })
  return (checked) => {
    checks.inc({ trigger: checked.trigger, outcome: checked.findings.outcome })
    if (isNewlyBroken(checked.before, checked.after)) broken.inc()
  }
}
