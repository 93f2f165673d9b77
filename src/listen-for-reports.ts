/** The optional SMTP listener for bounce messages and feedback reports, wired to the same intake as POST /ingest/report. */
import type { Logger } from 'pino'
import type { Metrics } from './http/observation/metrics.ts'
import { AppError } from './lib/app-error.ts'
import type { Service } from './open-service.ts'
import { REPORT } from './reports/report-intake.ts'
import type { ReportListener } from './smtp/report-listener.ts'

/** Undefined if no listener is configured. Throws AppError `conflict` if it cannot listen. */
export async function listenForReports(
  { config, clock, reports, storage }: Service,
  metrics: Metrics,
  logger: Logger,
): Promise<ReportListener | undefined> {
  const { smtpListen, smtpDomains = [], smtpCertificate, returnPathHost, returnPathLabel } = config
  if (smtpListen === undefined) return undefined
  // Loaded on demand: in most installations a mail server receives the mail.
  const { openReportListener } = await import('./smtp/report-listener.ts')
  const names = returnPathHost === undefined ? smtpDomains : [...smtpDomains, returnPathHost]
  const listener = await openReportListener({
    ...smtpListen,
    name: returnPathHost,
    certificate: smtpCertificate,
    accepted: { names, label: returnPathLabel, domains: storage.control.domains },
    reports,
    clock,
    logger,
    onTaken(report) {
      metrics.countIngest(REPORT, report)
      metrics.countReport(report)
      const { kind, outcome } = report
      logger.info({ kind, outcome }, 'report')
    },
  }).catch((error: unknown) => {
    throw listenProblem(`${smtpListen.host}:${smtpListen.port}`, error) ?? error
  })
  logger.info({ address: listener.address }, 'listening for reports (SMTP)')
  return listener
}

const PROBLEMS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the address is in use by another program',
  EACCES: 'permission denied; use a port above 1023 and let a mail server forward to it',
  EADDRNOTAVAIL: 'not an address of this machine',
  ENOTFOUND: 'not an address of this machine',
}

function listenProblem(address: string, error: unknown): AppError | undefined {
  const problem = error instanceof Error && 'code' in error ? PROBLEMS[String(error.code)] : undefined
  if (problem === undefined) return undefined
  return new AppError('conflict', `Cannot listen for reports on ${address} (ENVELOG_SMTP_LISTEN): ${problem}.`, {
    cause: error,
  })
}
