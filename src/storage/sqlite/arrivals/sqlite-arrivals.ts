/** The log in order of arrival: read by the reading threads, announced here. */
import type { Arrivals } from '../../../events/log/event-log.ts'
import type { DayCommit } from '../days/day-commit.ts'

export interface SqliteArrivals extends Arrivals {
  learn(commits: readonly DayCommit[]): void
}

export function openArrivals(reads: Pick<Arrivals, 'last' | 'list'>): SqliteArrivals {
  const listeners = new Set<() => void>()
  return {
    learn(commits) {
      // Duplicates are not announced.
      if (commits.every(({ arrivalBefore, arrival }) => arrivalBefore === arrival)) return
      for (const listener of listeners) listener()
    },
    ...reads,
    onArrival(listener) {
      listeners.add(listener)
      return { [Symbol.dispose]: () => void listeners.delete(listener) }
    },
  }
}
