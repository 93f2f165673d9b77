/** Which methods of the control stores write, and whose results are kept in memory: the same for every engine. */
import type { ControlStore } from './storage.ts'

/** Rows that every request needs. */
const ROWS_KEPT = 10_000
/** Tenants whose list of domain names is kept; it may be long. */
const NAMES_KEPT = 100

interface Methods<Store> {
  readonly writes: readonly (keyof Store & string)[]
  /** Writes that change what other stores keep. */
  readonly forgetsAll?: readonly (keyof Store & string)[]
  /** Writes that have changed nothing if they return an empty list. */
  readonly mayWriteNothing?: readonly (keyof Store & string)[]
  /** How many results of each of these methods to keep, by their first argument. */
  readonly kept: Readonly<Partial<Record<keyof Store, number>>>
}

export const CONTROL_METHODS: { readonly [Name in keyof ControlStore]: Methods<ControlStore[Name]> } = {
  domains: {
    writes: [
      'create',
      'setActive',
      'claimDue',
      'releaseClaims',
      'saveVerification',
      'saveRecheck',
      'saveKeys',
      'removeUnproven',
    ],
    // Every few seconds, and nearly always without a claim: to read all domains again would hold up requests. A plan that was
    // brought forward is claimed at once, unless the tenant is suspended.
    mayWriteNothing: ['claimDue'],
    kept: { findByName: ROWS_KEPT, listNames: NAMES_KEPT },
  },
  keys: {
    writes: ['createTenant', 'changeQuotas', 'changeTenant', 'createKey', 'changeKey', 'revokeKey', 'recordKeyUse'],
    kept: { findKey: ROWS_KEPT, findTenant: ROWS_KEPT },
  },
  quarantine: { writes: ['add', 'remove', 'removeNext', 'removeOlderThan'], kept: {} },
  secrets: { writes: ['replaceGenerations'], kept: {} },
  sessions: { writes: ['saveSessions'], kept: { findSessions: ROWS_KEPT } },
  views: { writes: ['saveView', 'removeView', 'removeViewsWith'], kept: {} },
  audit: { writes: ['add', 'removeOlderThan'], kept: {} },
  removals: {
    writes: ['removeTenant', 'removeDomain', 'addRecipient', 'save', 'scrub', 'finish'],
    kept: {},
    // Of tenants and domains that are gone, with their keys and sessions.
    forgetsAll: ['removeTenant', 'removeDomain'],
  },
  retention: { writes: ['save'], kept: {} },
}

/** Whether a write that returned `result` may have changed what is kept. */
export function mayHaveWritten(store: keyof ControlStore, method: string, result: unknown): boolean {
  const { mayWriteNothing = [] } = CONTROL_METHODS[store]
  return !((mayWriteNothing as readonly string[]).includes(method) && Array.isArray(result) && result.length === 0)
}
