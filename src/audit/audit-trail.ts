/** Writes the audit log: actions of the administration at once, frequent requests as sums. */
import type { Clock } from '../lib/clock.ts'
import type { NewAuditEntry } from './audit-entry.ts'
import type { AuditStore } from './audit-store.ts'
import { AuditSums } from './audit-sums.ts'

export type AuditedAction = Omit<NewAuditEntry, 'timeMs' | 'lastTimeMs' | 'count' | 'sum'>

export interface AuditTrailDeps {
  readonly store: Pick<AuditStore, 'add'>
  /** For the names of keys. */
  readonly keys: { findKey(id: string): Promise<{ readonly id: string; readonly name?: string } | undefined> }
  readonly clock: Clock
  /** An entry that could not be written. */
  readonly onLost: (action: AuditedAction, error: unknown) => void
}

export class AuditTrail {
  readonly #deps: AuditTrailDeps
  readonly #sums = new AuditSums()

  constructor(deps: AuditTrailDeps) {
    this.#deps = deps
  }

  /** Undefined if it has none, or if it cannot be found out: the id is what counts. */
  async findKeyName(keyId: string): Promise<string | undefined> {
    return (await this.#deps.keys.findKey(keyId).catch(() => undefined))?.name
  }

  /** Resolves when the entry is durable, or reported as lost: the action has happened, so failing here would be misleading. */
  async record(action: AuditedAction): Promise<void> {
    try {
      await this.#deps.store.add([this.#toEntry(action)])
    } catch (error) {
      this.#deps.onLost(action, error)
    }
  }

  /** Counts it in an entry that is written by the next flush. */
  count(action: AuditedAction): void {
    if (!this.#sums.add(this.#toEntry(action))) {
      this.#deps.onLost(action, new Error('too many audit entries are waiting for storage'))
    }
  }

  /** Writes the sums. If the store fails, they stay for the next flush. */
  async flush(): Promise<void> {
    const sums = this.#sums.take()
    if (sums.length === 0) return
    try {
      await this.#deps.store.add(sums)
    } catch (error) {
      this.#sums.putBack(sums)
      throw error
    }
  }

  #toEntry(action: AuditedAction): NewAuditEntry {
    const timeMs = this.#deps.clock()
    return { ...action, timeMs, lastTimeMs: timeMs, count: 1 }
  }
}
