/**
 * Scheduled work: writing the last uses of keys and sums of the audit log, retention, sums of closed days, recording opens and clicks, automatic
 * domain checks.
 */
import type { Logger } from 'pino'
import type { AuditTrail } from '../audit/audit-trail.ts'
import { recheckDue } from '../domains/verification/recheck-due.ts'
import type { VerificationRunner } from '../domains/verification/verification-runner.ts'
import type { Removals } from '../events/removal/removals.ts'
import { removeExpiredOfTenants } from '../events/removal/tenant-retention.ts'
import type { Retention } from '../events/retention/retention.ts'
import { AppError, reasonOf } from '../lib/app-error.ts'
import type { Clock } from '../lib/clock.ts'
import { SECRETS_AGE_MAX_MS } from '../open-secrets.ts'
import type { Storage } from '../storage/storage.ts'
import type { KeyUses } from '../tenants/key-uses.ts'
import type { HitRecorder } from '../tracking/hit-recorder.ts'
import { asOne } from './as-one.ts'
import { reportRetention } from './report-retention.ts'
import { readSharedTime } from './shared-time.ts'

const KEY_USES_EVERY_MS = 30_000
const AUDIT_EVERY_MS = 30_000
const RETENTION_EVERY_MS = 3_600_000
const CLOSING_EVERY_MS = 3_600_000
/** Together with the batch size this limits checks to ten per second, however many are due. */
const RECHECKS_EVERY_MS = 5000
/** Opens and clicks reach the log within two or three intervals. */
const HITS_EVERY_MS = 1000

/** The server that did it last does it again, or any other if that one is gone. */
const RETENTION_LEASE_MS = RETENTION_EVERY_MS - 60_000
/** Removals that a server left when it died, and secrets that another server has replaced. */
const REMOVALS_EVERY_MS = 30_000

export interface ScheduleDeps {
  readonly storage: Pick<Storage, 'control' | 'log' | 'shared' | 'capabilities'>
  readonly keyUses: Pick<KeyUses, 'flush'>
  readonly audit: Pick<AuditTrail, 'flush'>
  readonly clock: Clock
  readonly retention: Pick<Retention, 'run' | 'earliestMs' | 'refresh'>
  readonly verifications: Pick<VerificationRunner, 'recheck' | 'close'>
  readonly logger: Logger
  readonly hits: Pick<HitRecorder, 'drain'>
  readonly removals?: Pick<Removals, 'resume'>
  /** Absent for an installation of one server. */
  readonly refreshSecrets?: () => Promise<void>
}

export interface Schedule {
  /** Starts no further runs; resolves when the current ones have ended. */
  stop(): Promise<void>
}

export function startSchedule(deps: ScheduleDeps): Schedule {
  const stopping = new AbortController()
  const jobs = [
    startJob(deps.logger, 'write key uses', KEY_USES_EVERY_MS, () => deps.keyUses.flush()),
    startJob(deps.logger, 'write audit log', AUDIT_EVERY_MS, () => deps.audit.flush()),
    startJob(deps.logger, 'retention', RETENTION_EVERY_MS, () => removeExpired(deps), { isDueAtOnce: true }),
    startJob(deps.logger, 'retention of tenants', RETENTION_EVERY_MS, () => removeOfTenants(deps, stopping.signal), {
      isDueAtOnce: true,
    }),
    ...startSharedJobs(deps, stopping.signal),
    startJob(deps.logger, 'opens and clicks', HITS_EVERY_MS, () => deps.hits.drain(), { isFrequent: true }),
    startJob(deps.logger, 'domain checks', RECHECKS_EVERY_MS, () => recheckDomains(deps, stopping.signal), {
      isFrequent: true,
    }),
  ]
  return {
    async stop() {
      stopping.abort()
      // Cancels running checks, which may take ten seconds: all callers have their response by now.
      await deps.verifications.close()
      await Promise.all(jobs.map((job) => job.stop()))
    },
  }
}

function startSharedJobs(deps: ScheduleDeps, signal: AbortSignal): readonly Schedule[] {
  const { storage, logger, removals, refreshSecrets } = deps
  if (!storage.shared) return []
  return [
    startJob(logger, 'removals of other servers', REMOVALS_EVERY_MS, async () => removals?.resume()),
    startJob(logger, 'closing of days', CLOSING_EVERY_MS, () => closeDays(deps, signal)),
    startJob(logger, 'secrets of other servers', SECRETS_AGE_MAX_MS, async () => refreshSecrets?.(), {
      isFrequent: true,
    }),
  ]
}

/** Whoever is first does it for all. */
async function closeDays({ storage, clock }: ScheduleDeps, signal: AbortSignal): Promise<void> {
  await storage.capabilities.closing?.run(clock(), signal)
}

async function recheckDomains(deps: ScheduleDeps, signal: AbortSignal): Promise<void> {
  const { storage, verifications, clock, logger } = deps
  const onFailure = (domainId: string, error: unknown) =>
    logger.error({ err: error, domainId }, 'domain check failed unexpectedly; it will be retried automatically')
  // A server whose clock is wrong leaves the checks to others: it would also plan the next ones, and end the grace of domains, by that clock.
  const readTime = () => readSharedTime(deps)
  await recheckDue({ domains: storage.control.domains, verifications, clock, readTime, onFailure }, signal)
}

async function removeExpired(deps: ScheduleDeps): Promise<void> {
  const { retention, logger } = deps
  const run = await asOne(deps, 'retention', RETENTION_LEASE_MS, () => retention.run())
  if (run) reportRetention(run, logger)
  else await retention.refresh()
}

/** Tenants may have a shorter retention than the installation. */
async function removeOfTenants(deps: ScheduleDeps, signal: AbortSignal): Promise<void> {
  const { storage, retention, logger } = deps
  const stores = { ...storage.control, log: storage.log }
  const remove = () => removeExpiredOfTenants(stores, retention.earliestMs, signal)
  const events = (await asOne(deps, 'retention of tenants', RETENTION_LEASE_MS, remove)) ?? 0
  if (events > 0) logger.info({ events }, 'retention removed events of tenants')
}

/** Runs never overlap. A failure is logged, and the next run is a retry. `isFrequent`: failures in a row are logged once. */
function startJob(
  logger: Logger,
  name: string,
  everyMs: number,
  work: () => Promise<void>,
  { isDueAtOnce = false, isFrequent = false } = {},
): Schedule {
  let running: Promise<void> | undefined
  let hasFailed = false
  const run = () => {
    running ??= work()
      .then(() => {
        hasFailed = false
      })
      .catch((error: unknown) => {
        if (!(isFrequent && hasFailed)) {
          logger.error({ ...describe(error), job: name }, 'scheduled job failed; it will be retried automatically')
        }
        hasFailed = true
      })
      .finally(() => {
        running = undefined
      })
  }
  const timer = setInterval(run, everyMs)
  if (isDueAtOnce) run()
  return {
    async stop() {
      clearInterval(timer)
      await running
    },
  }
}

/** Only bugs have a stack. */
function describe(error: unknown): object {
  return error instanceof AppError ? { reason: reasonOf(error) } : { err: error }
}
