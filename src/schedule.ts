/** What happens by itself, and the only timers: last uses of keys are written, old days and old rejected records removed. */
import type { Logger } from 'pino'
import type { Clock } from './lib/clock.ts'
import type { Storage } from './storage/storage.ts'
import type { KeyUses } from './tenants/key-uses.ts'

const KEY_USES_EVERY_MS = 30_000
const RETENTION_EVERY_MS = 3_600_000

export interface ScheduleDeps {
  readonly storage: Pick<Storage, 'removeDaysBefore' | 'quarantine'>
  readonly keyUses: Pick<KeyUses, 'flush'>
  readonly clock: Clock
  readonly retentionMs: number
  readonly logger: Logger
}

export interface Schedule {
  /** Starts nothing more; resolves when what was running has ended. */
  stop(): Promise<void>
}

export function startSchedule(deps: ScheduleDeps): Schedule {
  const jobs = [
    startJob(deps.logger, 'write key uses', KEY_USES_EVERY_MS, () => deps.keyUses.flush()),
    startJob(deps.logger, 'retention', RETENTION_EVERY_MS, () => removeExpired(deps), { isDueAtOnce: true }),
  ]
  return {
    async stop() {
      await Promise.all(jobs.map((job) => job.stop()))
    },
  }
}

/** By the record's own time for events; rejected records go by the time of the rejection, theirs may be what is wrong. */
async function removeExpired({ storage, clock, retentionMs, logger }: Omit<ScheduleDeps, 'keyUses'>): Promise<void> {
  const oldestMs = clock() - retentionMs
  const days = await storage.removeDaysBefore(oldestMs)
  if (days.length > 0) logger.info({ days }, 'retention removed days')
  const rejected = await storage.quarantine.removeOlderThan(oldestMs)
  if (rejected > 0) logger.info({ rejected }, 'retention removed rejected records')
}

/** Runs never overlap, and one that fails is logged and tried again the next time. */
function startJob(
  logger: Logger,
  name: string,
  everyMs: number,
  work: () => Promise<void>,
  { isDueAtOnce = false } = {},
): Schedule {
  let running: Promise<void> | undefined
  const run = () => {
    running ??= work()
      .catch((error: unknown) => logger.error({ err: error, job: name }, 'scheduled work failed; it is tried again'))
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
