/** What the operator needs besides the log: days, recount, the state of the cluster. */
import type { Capabilities, ClusterFigures, DayUse } from '../../storage.ts'
import { closeDays, lastDayToClose } from '../closing/close-days.ts'
import { Recounter, type RecounterDeps } from '../recount/recounter.ts'
import { ClusterWatch, type ClusterWatchDeps } from './cluster-watch.ts'
import { listDays } from './list-days.ts'
import { findLastFolded } from './remove-before.ts'

const REFRESH_MS = 60_000

export interface Upkeep {
  readonly capabilities: Pick<Capabilities, 'days' | 'closing' | 'recount'>
  readonly cluster: { readonly figures: ClusterFigures }
  /** Databases that do not answer: without one of them nothing can be served. */
  readonly unreachable: readonly string[]
  close(): Promise<void>
}

export interface UpkeepDeps extends RecounterDeps, ClusterWatchDeps {}

export function openUpkeep(deps: UpkeepDeps): Upkeep {
  const { db, clickHouse } = deps
  const recounter = new Recounter(deps)
  const watch = ClusterWatch.start(deps)
  let days: readonly DayUse[] = []
  const list = async () => {
    // Placeholders of old versions may be left of removed days.
    const last = (await findLastFolded(db)) ?? ''
    days = (await listDays(clickHouse)).filter(({ day }) => day > last)
    return days
  }
  let listedAt = Number.NEGATIVE_INFINITY
  /** For those who ask all the time, and must not wait. */
  const refresh = () => {
    if (performance.now() - listedAt < REFRESH_MS) return
    listedAt = performance.now()
    void list().catch(() => undefined)
  }
  return {
    capabilities: {
      days: {
        list,
        /** As of the last list, or a minute ago. */
        get count() {
          refresh()
          return days.length
        },
      },
      closing: { run: (nowMs, signal) => closeDays(deps, lastDayToClose(nowMs), signal) },
      recount: {
        run: (onProgress) => recounter.run({ onProgress }),
        repair: (onProgress) => recounter.run({ onProgress, isRepairing: true }),
      },
    },
    cluster: {
      get figures() {
        return watch.figures
      },
    },
    get unreachable() {
      const { isPostgresReachable, isClickHouseReachable } = watch.figures
      return [...(isPostgresReachable ? [] : ['PostgreSQL']), ...(isClickHouseReachable ? [] : ['ClickHouse'])]
    },
    close: () => watch.stop(),
  }
}
