/** Retention over a storage: which data expires, and by which clocks. */
import { clearAudit } from '../audit/clear-audit.ts'
import type { Config } from '../config/options.ts'
import { clearOlderThan } from '../events/ingest/clear-quarantine.ts'
import { Retention } from '../events/retention/retention.ts'
import type { Clock } from '../lib/clock.ts'
import type { Storage } from '../storage/storage.ts'

/** In whole milliseconds. Unlike the clock it is never set. */
const processUptime: Clock = () => Math.floor(performance.now())

export async function openRetention(
  { log, control, capabilities }: Pick<Storage, 'log' | 'control' | 'capabilities'>,
  { retentionMs, auditRetentionMs }: Pick<Config, 'retentionMs' | 'auditRetentionMs'>,
  clock: Clock,
  uptime: Clock = processUptime,
): Promise<Retention> {
  const retention = await Retention.open({
    store: control.retention,
    log,
    // By the time of rejection: their own time may be the error.
    removeRejected: (timeMs) => clearOlderThan(control.quarantine, timeMs),
    removeAudit: (timeMs) => clearAudit(control.audit, timeMs),
    clock,
    uptime,
    retentionMs,
    auditRetentionMs,
  })
  // So that old events, imported before the first run, are not taken for a sign of a wrong clock. If it fails, that run decides.
  if (capabilities.days?.count === 0) await retention.begin().catch(() => undefined)
  return retention
}
