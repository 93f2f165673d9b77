/** Sessions that ended before their time. Port. */

export interface EndedSession {
  readonly id: string
  readonly expiresAtMs: number
}

export interface KeySessions {
  /** Sessions of another epoch have ended. A number and not a time, so that a clock that was set back changes nothing. */
  readonly epoch: number
  /** Single sessions of this epoch that have ended. */
  readonly ended: readonly EndedSession[]
}

export interface SessionStore {
  /** Epoch 0 and no ended sessions for a key that has none stored. */
  findSessions(keyId: string): Promise<KeySessions>
  /** Replaces what is stored for the key. False, and nothing is written, unless `before` is what is stored. */
  saveSessions(keyId: string, before: KeySessions, after: KeySessions): Promise<boolean>
}

export const NO_SESSIONS: KeySessions = { epoch: 0, ended: [] }
