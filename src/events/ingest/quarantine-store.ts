/** Records that could not be stored as events, kept with the reason. Port. */

export interface RejectedRecord {
  /** The record as it came, byte for byte. */
  readonly payload: Uint8Array
  readonly connector: string
  readonly reason: string
  /** The tenant that the ingest key is bound to: a replay stores the record for no other. Absent for operator keys. */
  readonly tenantId?: string
}

export interface QuarantinedRecord extends RejectedRecord {
  readonly id: number
  readonly rejectedAtMs: number
  /** How often the same record was rejected. */
  readonly times: number
}

export interface QuarantineStore {
  /** Durable when it resolves. A record that is already quarantined is stored once: its reason and time are updated. */
  add(records: readonly RejectedRecord[], nowMs: number): Promise<void>
  /** Oldest first, starting after `afterId`. */
  list(options: { afterId: number; limit: number }): Promise<readonly QuarantinedRecord[]>
  /** All of them, or those of one source. */
  count(connector?: string): Promise<number>
  remove(ids: readonly number[]): Promise<void>
  /** Removes all of them, or those of one source; returns how many. */
  removeAll(connector?: string): Promise<number>
  /** Removes records that were rejected before the given time; returns how many. */
  removeOlderThan(timeMs: number): Promise<number>
}
