/** Logs what a run of retention removed, and warns if it removed less than is due. */
import type { Logger } from 'pino'
import { describeRetention } from '../events/retention/describe-retention.ts'
import type { RetentionRun } from '../events/retention/retention.ts'
import { toIsoTime } from '../lib/clock.ts'

export function reportRetention({ days, rejected, auditEntries, status }: RetentionRun, logger: Logger): void {
  if (days.length > 0) logger.info({ days }, 'retention removed days')
  if (rejected > 0) logger.info({ rejected }, 'retention removed rejected records')
  if (auditEntries > 0) logger.info({ entries: auditEntries }, 'retention removed audit entries')
  const warning = describeRetention(status)
  if (warning !== undefined)
    logger.warn({ clock: toIsoTime(status.clockMs), expected: toIsoTime(status.timeMs) }, warning)
}
