/** How the table `removal` of an SQL engine is read. */
import {
  NOTHING_REMOVED,
  type Removal,
  type RemovalKind,
  type RemovalResult,
  type RemovalStage,
} from '../../events/removal/removal.ts'

/** JSON is trusted on reading: only this store writes it, from values of the same types. */
export interface RemovalRow {
  [column: string]: string | number | null
  id: string
  kind: RemovalKind
  object: string
  domainNumbers: string
  address: string | null
  requestedBy: string
  requestedAtMs: number
  stage: RemovalStage
  position: string | null
  result: string
  finishedAtMs: number | null
}

export function toRemoval({ domainNumbers, address, position, result, finishedAtMs, ...row }: RemovalRow): Removal {
  return {
    ...row,
    domainNumbers: JSON.parse(domainNumbers),
    // One that an earlier version has begun lacks what was added since.
    result: { ...NOTHING_REMOVED, ...(JSON.parse(result) as Partial<RemovalResult>) },
    ...(address !== null && { address }),
    ...(position !== null && { position }),
    ...(finishedAtMs !== null && { finishedAtMs }),
  }
}
