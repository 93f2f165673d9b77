/** How the table `audit` of an SQL engine is read. */
import type { AuditActor, AuditEntry } from '../../audit/audit-entry.ts'

export type AuditRow = Omit<AuditEntry, 'actor' | 'object'> & {
  readonly actorType: AuditActor['type']
  readonly actorId: string | null
  readonly actorName: string | null
  readonly address: string | null
  readonly object: string | null
}

export function toAuditEntry({ actorType: type, actorId, actorName, address, object, ...row }: AuditRow): AuditEntry {
  const actor: AuditActor = {
    type,
    ...(actorId !== null && { id: actorId }),
    ...(actorName !== null && { name: actorName }),
    ...(address !== null && { address }),
  }
  return { ...row, actor, ...(object !== null && { object }) }
}
