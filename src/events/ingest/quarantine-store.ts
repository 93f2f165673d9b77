/** Records that could not be stored as events, kept with the reason. Port. */
import type { Source } from './quarantine-room.ts'

export interface RejectedRecord {
  /** The record as it came, byte for byte. */
  readonly payload: Uint8Array
  readonly connector: string
  readonly source: Source
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

export interface QuarantineUse {
  readonly records: number
  /** As `sizeInQuarantine` counts them. Records of versions that did not count bytes have none. */
  readonly bytes: number
}

export interface SourceUse extends QuarantineUse {
  readonly source: Source
}

/** Which records to remove. */
export interface QuarantineFilter {
  readonly connector?: string | undefined
  readonly source?: Source | undefined
  /** Those of a tenant: brought by its keys, or quarantined because of its quota or suspension. */
  readonly tenantId?: string | undefined
  /** Those whose payload or reason contains this text, see `contains`. */
  readonly text?: string | undefined
}

const JSON_ESCAPES = /\\u([0-9a-f]{4})/gi

/** Ignores letter case, and sees through the escapes of JSON. */
export function contains({ payload, reason }: Pick<RejectedRecord, 'payload' | 'reason'>, text: string): boolean {
  // Not the folding of searches, which takes a hundred times as long: a payload may have megabytes.
  const needle = text.toLowerCase()
  const found = `${Buffer.from(payload).toString()} ${reason}`.toLowerCase()
  if (found.includes(needle)) return true
  const toCharacter = (_: string, code: string) => String.fromCharCode(Number.parseInt(code, 16))
  return found.includes('\\u') && found.replace(JSON_ESCAPES, toCharacter).toLowerCase().includes(needle)
}

export interface QuarantineStore {
  /** The room of the whole quarantine. */
  readonly bytesMax: number
  /**
   * Durable when it resolves. A record that is already quarantined is stored once: its reason and time are updated, and it
   * still belongs to its first source. False if there is no room (`roomOf`); then nothing was added.
   */
  add(records: readonly RejectedRecord[], nowMs: number): Promise<boolean>
  /** Oldest first, starting after `afterId`. Fewer than `limit` if they are large, but at least one. */
  list(options: { afterId: number; limit: number }): Promise<readonly QuarantinedRecord[]>
  count(): Promise<number>
  /** Of all sources, and of those that use most, largest first. */
  usage(limit: number): Promise<QuarantineUse & { readonly sources: readonly SourceUse[] }>
  /** Returns how many there were. */
  remove(ids: readonly number[]): Promise<number>
  /** Examines a limited number of records after `afterId`; `next` continues, and is absent at the end. */
  removeNext(filter: QuarantineFilter, afterId: number): Promise<{ readonly removed: number; readonly next?: number }>
  /** Removes a limited number of records that were rejected before the given time; returns how many. */
  removeOlderThan(timeMs: number): Promise<number>
}
