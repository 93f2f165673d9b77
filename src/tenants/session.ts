/**
 * Sign-in sessions, sealed in a cookie. The server stores only which ones ended before their time; the key is looked up on every
 * request, so revoking it ends its sessions. See docs/decisions/0015 and 0031.
 */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { type Clock, exactTime, type KnownTime } from '../lib/clock.ts'
import { readToken, writeToken } from '../lib/sealing/sealed-token.ts'
import type { Sealer } from '../lib/sealing/sealer.ts'
import type { TokenRate } from '../lib/turns/token-buckets.ts'
import type { KeySessions, SessionStore } from './session-store.ts'

export const SESSION_MS = 12 * 3600 * 1000

/** Failed sign-in attempts from one address. A key cannot be guessed; this limits the cost of trying. */
export const SIGN_IN_RATE = { burst: 20, perMinute: 6 } as const satisfies TokenRate

const CSRF_TOKEN_BYTES = 18
const ID_BYTES = 12
/** A clock may be corrected by this much without ending sessions. */
const CLOCK_TOLERANCE_MS = 60_000
/** An ended session is remembered this long after its expiry, in case the clock is set back. */
const REMEMBER_MS = 7 * 24 * 3600 * 1000
/** Per key. One more ends all sessions of the key instead, so that the number stays bounded and none comes back. */
const ENDED_MAX = 200
/** Version of the contents; a session with another is refused like a forged one. */
const LAYOUT = 2

export interface KeySession {
  readonly id: string
  readonly keyId: string
  /** See KeySessions. */
  readonly epoch: number
  /** Sent by our pages with every change; other sites cannot know it. */
  readonly csrfToken: string
  readonly issuedAtMs: number
  readonly expiresAtMs: number
  /** The id of the access secret that sealed it. */
  readonly accessId: string
}

export interface Sessions {
  issue(keyId: string): Promise<KeySession & { readonly token: string }>
  /** Undefined unless issued here, and neither expired nor ended. */
  read(token: string): Promise<KeySession | undefined>
  /** Whether a session that was read before is still valid: for long responses. */
  isLive(session: KeySession): Promise<boolean>
  /** Ends it everywhere, for every copy of the cookie. */
  end(session: KeySession): Promise<void>
  /** Ends all sessions of the key. */
  endAll(keyId: string): Promise<void>
}

export interface SessionsDeps {
  readonly sealer: Sealer
  /** Changes when the access secret is rotated. */
  readonly accessId: () => string
  readonly store: SessionStore
  readonly clock: Clock
  /** Default: the clock is right. */
  readonly knownTime?: KnownTime
}

export function createSessions(deps: SessionsDeps): Sessions {
  const { sealer, accessId, store, clock, knownTime = exactTime(clock) } = deps
  const isLive = async (session: KeySession): Promise<boolean> => {
    if (session.accessId !== accessId() || !isTimely(session, clock())) return false
    const { epoch, ended } = await store.findSessions(session.keyId)
    return session.epoch === epoch && !ended.some(({ id }) => id === session.id)
  }
  const change = async (keyId: string, toNext: (before: KeySessions) => KeySessions): Promise<void> => {
    // Repeated only if another session of the key was ended at the same time.
    for (;;) {
      const before = await store.findSessions(keyId)
      if (await store.saveSessions(keyId, before, toNext(before))) return
    }
  }
  return {
    async issue(keyId) {
      const { epoch } = await store.findSessions(keyId)
      const issuedAtMs = clock()
      const contents = {
        id: randomBytes(ID_BYTES).toString('base64url'),
        keyId,
        epoch,
        csrfToken: randomBytes(CSRF_TOKEN_BYTES).toString('base64url'),
        issuedAtMs,
        expiresAtMs: issuedAtMs + SESSION_MS,
      }
      const token = writeToken(sealer, { layout: LAYOUT, ...contents })
      return { ...contents, accessId: accessId(), token }
    },
    async read(token) {
      const opened = readToken(sealer, token) as (KeySession & { readonly layout: number }) | undefined
      if (opened?.layout !== LAYOUT) return undefined
      const { layout: _, ...contents } = opened
      const session = { ...contents, accessId: accessId() }
      return (await isLive(session)) ? session : undefined
    },
    isLive,
    end: ({ id, keyId, epoch, expiresAtMs }) =>
      change(keyId, (before) => {
        if (before.epoch !== epoch) return before
        const rememberedMs = knownTime.earliestMs - REMEMBER_MS
        const ended = before.ended.filter((other) => other.id !== id && other.expiresAtMs > rememberedMs)
        if (ended.length >= ENDED_MAX) return nextEpoch(before)
        return { epoch, ended: [...ended, { id, expiresAtMs }] }
      }),
    endAll: (keyId) => change(keyId, nextEpoch),
  }
}

/** Whatever was sealed: no session lasts longer than SESSION_MS, and none begins in the future. */
function isTimely({ issuedAtMs, expiresAtMs }: KeySession, nowMs: number): boolean {
  const latestMs = nowMs + CLOCK_TOLERANCE_MS
  return expiresAtMs > nowMs && issuedAtMs <= latestMs && expiresAtMs <= latestMs + SESSION_MS
}

function nextEpoch({ epoch }: KeySessions): KeySessions {
  return { epoch: epoch + 1, ended: [] }
}

/** In constant time. */
export function isSameCsrfToken(expected: string, presented: string | undefined): boolean {
  const digest = (text: string) => hash('sha256', text, 'buffer')
  return timingSafeEqual(digest(expected), digest(presented ?? '')) && presented !== undefined
}
