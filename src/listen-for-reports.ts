/** The optional SMTP listener, wired to the service: reports that strangers send go where those of the operator go. */
import type { Logger } from 'pino'
import type { Metrics } from './http/observation/metrics.ts'
import { AppError } from './lib/app-error.ts'
import type { Service } from './open-service.ts'
import { REPORT } from './reports/report-intake.ts'
import type { ReportListener } from './smtp/report-listener.ts'

/** Undefined where nobody asked for one. Throws AppError `conflict` where it cannot listen. */
export async function listenForReports(
  { config, clock, reports, storage }: Service,
  metrics: Metrics,
  logger: Logger,
): Promise<ReportListener | undefined> {
  const { smtpListen, smtpDomains = [], smtpCertificate, returnPathHost, returnPathLabel } = config
  if (smtpListen === undefined) return undefined
  // Loaded only here: most installations have a mail server that takes their mail.
  const { openReportListener } = await import('./smtp/report-listener.ts')
  const names = returnPathHost === undefined ? smtpDomains : [...smtpDomains, returnPathHost]
  const listener = await openReportListener({
    ...smtpListen,
    name: returnPathHost,
    certificate: smtpCertificate,
    accepted: { names, label: returnPathLabel, domains: storage.control.domains },
    reports,
    quarantine: storage.control.quarantine,
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
  EADDRINUSE: 'another program listens there already',
  EACCES: 'this user may not listen on that port; let a mail server forward to a port above 1023',
  EADDRNOTAVAIL: 'that is no address of this machine',
  ENOTFOUND: 'that is no address of this machine',
}

function listenProblem(place: string, error: unknown): AppError | undefined {
  const problem = error instanceof Error && 'code' in error ? PROBLEMS[String(error.code)] : undefined
  if (problem === undefined) return undefined
  return new AppError('conflict', `Reports cannot be taken at ${place} (ENVELOG_SMTP_LISTEN): ${problem}.`, {
    cause: error,
  })
}
