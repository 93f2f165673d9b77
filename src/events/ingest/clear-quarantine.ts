/** Use case: removes quarantined records in steps, so that neither the thread nor ingest waits for a large quarantine. */
import { nextTurn } from '../../lib/turns/next-turn.ts'
import type { QuarantineFilter, QuarantineStore } from './quarantine-store.ts'

/** Returns how many were removed. */
export async function clearQuarantine(
  quarantine: Pick<QuarantineStore, 'removeNext'>,
  filter: QuarantineFilter,
): Promise<number> {
  let total = 0
  for (let afterId: number | undefined = 0; afterId !== undefined; ) {
    const step: Awaited<ReturnType<QuarantineStore['removeNext']>> = await quarantine.removeNext(filter, afterId)
    total += step.removed
    afterId = step.next
    await nextTurn()
  }
  return total
}

/** Removes the records that were rejected before the given time; returns how many. */
export async function clearOlderThan(
  quarantine: Pick<QuarantineStore, 'removeOlderThan'>,
  timeMs: number,
): Promise<number> {
  let total = 0
  for (;;) {
    const removed = await quarantine.removeOlderThan(timeMs)
    if (removed === 0) return total
    total += removed
    await nextTurn()
  }
}
