/**
 * next_token: where a listing goes on, sealed. It carries the filters and the window of the first page, so that it can be
 * sent alone, and the tenant and domain it was made for, so that it opens nothing else. It grants no right by itself: the
 * key and the domain are checked again on every page.
 */
import { AppError } from '../lib/app-error.ts'
import type { Clock } from '../lib/clock.ts'
import { readToken, writeToken } from '../lib/sealed-token.ts'
import type { Sealer } from '../lib/sealer.ts'
import type { EventFilters, EventPosition } from './event-query.ts'

export interface Cursor {
  readonly tenantId: string
  readonly domainNumber: number
  readonly filters: EventFilters
  readonly after: EventPosition
}

export interface Cursors {
  write(cursor: Cursor): string
  /** Throws AppError `invalid_cursor` for anything but a fresh token of this tenant and domain. */
  read(token: string, owner: { readonly tenantId: string; readonly domainNumber: number }): Cursor
}

const VALID_MS = 24 * 3600 * 1000
/** Written into every token; a token of another layout is refused like a changed one. */
const LAYOUT = 1

interface SealedCursor extends Cursor {
  readonly layout: number
  readonly issuedAtMs: number
}

export function createCursors(sealer: Sealer, clock: Clock): Cursors {
  return {
    write(cursor) {
      const sealed: SealedCursor = { ...cursor, layout: LAYOUT, issuedAtMs: clock() }
      return writeToken(sealer, sealed)
    },
    read(token, owner) {
      const opened = openToken(sealer, token)
      if (!opened || opened.tenantId !== owner.tenantId || opened.domainNumber !== owner.domainNumber) {
        throw new AppError(
          'invalid_cursor',
          'next_token is not valid here: use it unchanged, for the domain it came with',
        )
      }
      if (clock() - opened.issuedAtMs > VALID_MS) {
        throw new AppError(
          'invalid_cursor',
          'next_token has expired: it is valid for 24 hours, start again from the first page',
        )
      }
      return opened
    },
  }
}

function openToken(sealer: Sealer, token: string): SealedCursor | undefined {
  const cursor = readToken(sealer, token) as SealedCursor | undefined
  return cursor?.layout === LAYOUT ? cursor : undefined
}
