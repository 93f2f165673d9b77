/** The log in order of arrival: read by the reading threads, announced here. */
import type { ArrivalListener, Arrivals } from '../../../events/log/event-log.ts'
import type { DayCommit } from '../days/day-commit.ts'

export interface SqliteArrivals extends Arrivals {
  learn(commits: readonly DayCommit[]): void
  forget(): void
}

export function openArrivals(reads: Pick<Arrivals, 'last' | 'list'>): SqliteArrivals {
  const listeners = new Set<ArrivalListener>()
  const announce: ArrivalListener = (domainNumbers) => {
    for (const listener of listeners) listener(domainNumbers)
  }
  return {
    learn(commits) {
      // Duplicates are not counted, and not announced.
      const domainNumbers = new Set(commits.flatMap(({ counts }) => counts.map(([domain]) => domain)))
      if (domainNumbers.size > 0) announce(domainNumbers)
    },
    forget: () => announce(undefined),
    ...reads,
    onArrival(listener) {
      listeners.add(listener)
      return { [Symbol.dispose]: () => void listeners.delete(listener) }
    },
  }
}
