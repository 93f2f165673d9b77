/** A removal of a tenant, a domain or a recipient: a job that is resumed after an interruption, and its receipt. */
import { createHash } from 'node:crypto'
import { foldCase } from '../../lib/text/case-folding.ts'
import type { ErasurePosition } from '../log/event-log.ts'

export type RemovalKind = 'tenant' | 'domain' | 'recipient'

/**
 * In this order; only a recipient is looked for in the journal of opens and clicks. `scrub`: overwrites what deleted rows have
 * left in the control data.
 */
export type RemovalStage = 'hits' | 'events' | 'quarantine' | 'scrub'

export interface RemovalResult {
  /** Events that were erased. Those of a step that was interrupted may be missing. */
  readonly events: number
  /** Names of the units (days) that they were in. */
  readonly units: readonly string[]
  readonly quarantined: number
  /** Opens and clicks that were not in the log yet. */
  readonly hits: number
  /** Files that contained it, and from which nothing could be removed: they were deleted as a whole. */
  readonly deletedFiles: readonly string[]
  /** Units that could not be examined, with the reason. */
  readonly problems: readonly { readonly unit: string; readonly problem: string }[]
}

export interface Removal {
  readonly id: string
  readonly kind: RemovalKind
  /** The id of the tenant, the name of the domain, or a digest of the address. */
  readonly object: string
  readonly domainNumbers: readonly number[]
  /** The address, until it is erased everywhere. */
  readonly address?: string
  readonly requestedBy: string
  readonly requestedAtMs: number
  readonly stage: RemovalStage
  readonly position?: ErasurePosition
  readonly result: RemovalResult
  readonly finishedAtMs?: number
}

export type RemovalProgress = Pick<Removal, 'stage' | 'position' | 'result'>

export type NewRemoval = Pick<Removal, 'id' | 'requestedBy' | 'requestedAtMs'>

export const NOTHING_REMOVED: RemovalResult = {
  events: 0,
  units: [],
  quarantined: 0,
  hits: 0,
  deletedFiles: [],
  problems: [],
}

/**
 * Identifies an address without naming it. With the id of the removal in it, it cannot be looked up in a table of digests, and
 * whoever knows both can still verify it.
 */
export function digestOf(removalId: string, address: string): string {
  return `sha256:${createHash('sha256')
    .update(`${removalId}:${foldCase(address)}`)
    .digest('hex')}`
}
