/**
 * Counts of requests that are audited together: one entry per hour, caller, network, action and outcome, and for reads per object. Bounded in number, so
 * that a million failures are a few entries, and written in batches, so that none of them costs a write.
 */
import type { AuditActor, AuditKind, NewAuditEntry } from './audit-entry.ts'

const HOUR_MS = 3_600_000
/** Entries of one kind that are distinguished in one hour; the rest are counted as `others`. */
export const SUMS_PER_HOUR = 1000
/** Entries that wait for a store that fails. */
const WAITING_MAX = 10_000

type Sum = NewAuditEntry & { readonly sum: string }

export class AuditSums {
  #waiting = new Map<string, Sum>()
  #hour = Number.NaN
  readonly #known = new Map<AuditKind, Set<string>>()

  /** False if it could not be counted. */
  add(entry: NewAuditEntry): boolean {
    const hour = Math.floor(entry.timeMs / HOUR_MS)
    if (hour !== this.#hour) this.#known.clear()
    this.#hour = hour
    const sum = this.#told(sumOf(hour, entry))
    const waiting = this.#waiting.get(sum.sum)
    if (!waiting && this.#waiting.size >= WAITING_MAX) return false
    this.#waiting.set(sum.sum, waiting ? merge(waiting, sum) : sum)
    return true
  }

  /** Empties it. */
  take(): readonly Sum[] {
    const taken = [...this.#waiting.values()]
    this.#waiting = new Map()
    return taken
  }

  /** For entries that could not be written. */
  putBack(sums: readonly Sum[]): void {
    for (const sum of sums) {
      const waiting = this.#waiting.get(sum.sum)
      this.#waiting.set(sum.sum, waiting ? merge(sum, waiting) : sum)
    }
  }

  #told(sum: Sum): Sum {
    const known = this.#known.get(sum.kind) ?? new Set()
    this.#known.set(sum.kind, known)
    if (known.size < SUMS_PER_HOUR) known.add(sum.sum)
    return known.has(sum.sum) ? sum : sumOf(this.#hour, { ...sum, actor: { type: 'others' } })
  }
}

/** Without the object, which may be another one in each request. Reads keep theirs: whose mail was read is what counts. */
function sumOf(hour: number, entry: NewAuditEntry): Sum {
  const { object, ...rest } = entry
  const { kind, actor, action, outcome } = entry
  const sum = [kind, hour, ...callerOf(actor), action, outcome]
  if (kind !== 'reading' || object === undefined || actor.type === 'others')
    return { ...rest, sum: JSON.stringify(sum) }
  return { ...entry, sum: JSON.stringify([...sum, object]) }
}

function callerOf({ type, id = '', address = '' }: AuditActor): readonly string[] {
  return [type, id, address]
}

function merge(earlier: Sum, later: Sum): Sum {
  return { ...earlier, count: earlier.count + later.count, lastTimeMs: Math.max(earlier.lastTimeMs, later.lastTimeMs) }
}
