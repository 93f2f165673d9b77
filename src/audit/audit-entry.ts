/** An entry of the audit log: who did what in the administration, from where, and how it ended. Never contains a secret. */

/**
 * Separate kinds have separate limits, so that strangers cannot push out entries of the operator.
 * `administration`: everything audited that a caller with the scope admin does, sign-ins included. `session`: sign-ins and
 * sign-outs of other keys, and domains that tenants add or remove. `reading`: an operator has read the log of tenants. `denied`:
 * failed sign-ins, and requests to the administration without a valid key or scope.
 */
export const AUDIT_KINDS = ['administration', 'session', 'reading', 'denied'] as const
export type AuditKind = (typeof AUDIT_KINDS)[number]

export const AUDIT_OUTCOMES = ['success', 'refused', 'failed'] as const
export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number]

/** `others`: callers beyond the number that is distinguished in one hour. */
export const ACTOR_TYPES = ['operator', 'tenant', 'local', 'unknown', 'others'] as const

export interface AuditActor {
  readonly type: (typeof ACTOR_TYPES)[number]
  /** The id of the key, or the name of the local user. Absent without a valid key. */
  readonly id?: string
  /** The name of the key, if it has one. */
  readonly name?: string
  /** Absent for local callers. A network (IPv6 /64) in summed entries. */
  readonly address?: string
}

export interface NewAuditEntry {
  readonly kind: AuditKind
  readonly timeMs: number
  readonly actor: AuditActor
  /** The operationId of the route. */
  readonly action: string
  /** What it was done to, such as the id of a key or the name of a domain. */
  readonly object?: string
  readonly outcome: AuditOutcome
  /** The HTTP status. */
  readonly status: number
  /** Of the first request in summed entries. */
  readonly requestId: string
  /** The number of requests: 1, except in summed entries. */
  readonly count: number
  readonly lastTimeMs: number
  /** Entries with the same value are one entry, whose counts are added. */
  readonly sum?: string
}

export interface AuditEntry extends Omit<NewAuditEntry, 'sum'> {
  /** Increasing, never reused. */
  readonly id: number
}
