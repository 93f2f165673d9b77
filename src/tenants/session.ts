/**
 * Sign-in sessions, sealed in a cookie. The server stores nothing, so they survive restarts; the key is looked up on every
 * request, so revoking it ends its sessions. See docs/decisions/0015.
 */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../lib/clock.ts'
import { readToken, writeToken } from '../lib/sealing/sealed-token.ts'
import type { Sealer } from '../lib/sealing/sealer.ts'
import type { TokenRate } from '../lib/turns/token-buckets.ts'

export const SESSION_MS = 12 * 3600 * 1000

/** Failed sign-in attempts from one address. A key cannot be guessed; this limits the cost of trying. */
export const SIGN_IN_RATE = { burst: 20, perMinute: 6 } as const satisfies TokenRate

const CSRF_TOKEN_BYTES = 18
/** Version of the contents; a session with another is refused like a forged one. */
const LAYOUT = 1

export interface KeySession {
  readonly keyId: string
  /** Sent by our pages with every change; other sites cannot know it. */
  readonly csrfToken: string
  readonly expiresAtMs: number
}

export interface Sessions {
  issue(keyId: string): KeySession & { readonly token: string }
  /** Undefined unless issued here and not expired. */
  read(token: string): KeySession | undefined
}

export function createSessions(sealer: Sealer, clock: Clock): Sessions {
  return {
    issue(keyId) {
      const csrfToken = randomBytes(CSRF_TOKEN_BYTES).toString('base64url')
      const session: KeySession = { keyId, csrfToken, expiresAtMs: clock() + SESSION_MS }
      return { ...session, token: writeToken(sealer, { layout: LAYOUT, ...session }) }
    },
    read(token) {
      const opened = readToken(sealer, token) as (KeySession & { readonly layout: number }) | undefined
      if (opened?.layout !== LAYOUT || opened.expiresAtMs <= clock()) return undefined
      const { keyId, csrfToken, expiresAtMs } = opened
      return { keyId, csrfToken, expiresAtMs }
    },
  }
}

/** In constant time. */
export function isSameCsrfToken(expected: string, presented: string | undefined): boolean {
  const digest = (text: string) => hash('sha256', text, 'buffer')
  return timingSafeEqual(digest(expected), digest(presented ?? '')) && presented !== undefined
}
