/**
 * Where a listing continues, sealed: `next_token` of the interface and `cursor` of /v1. It carries the filters of the first
 * page, so that it can be sent alone, and the tenant it was made for, so that no other can use it. It grants no rights: the key
 * and the domains are checked again on every page.
 */
import { AppError } from '../../lib/app-error.ts'
import type { Clock } from '../../lib/clock.ts'
import { readToken, writeToken } from '../../lib/sealing/sealed-token.ts'
import type { Sealer } from '../../lib/sealing/sealer.ts'
import type { LogFilters, LogPosition, LogWindow } from './log-query.ts'

/** The request as it was sent; absent fields were not sent. */
export interface AskedLog {
  /** Ids. Only the operator names tenants. Absent: all. */
  readonly tenants?: readonly string[]
  /** Names as they were written. Absent: all of the tenant's, or of these tenants. */
  readonly domains?: readonly string[]
  /** Names of domains to leave out. One that does not exist leaves out nothing. */
  readonly withoutDomains?: readonly string[]
  readonly filters: LogFilters
  readonly startTimestamp?: number
  readonly endTimestamp?: number
}

export interface Cursor {
  readonly tenantId: string
  readonly asked: AskedLog
  /** As it was resolved for the first page. */
  readonly window: LogWindow
  readonly after: LogPosition
}

export interface Cursors {
  write(cursor: Cursor): string
  /** Throws AppError `invalid_cursor` for anything but an unexpired cursor of this tenant. */
  read(text: string, tenantId: string): Cursor
}

const VALID_MS = 24 * 3600 * 1000
/** Part of every cursor; one with another layout is refused like a modified one. */
const LAYOUT = 2

interface SealedCursor extends Cursor {
  readonly layout: number
  readonly issuedAtMs: number
}

/** `name`: the name of the parameter, for error messages. */
export function createCursors(sealer: Sealer, clock: Clock, name: string): Cursors {
  return {
    write(cursor) {
      const sealed: SealedCursor = { ...cursor, layout: LAYOUT, issuedAtMs: clock() }
      return writeToken(sealer, sealed)
    },
    read(text, tenantId) {
      const opened = readToken(sealer, text) as SealedCursor | undefined
      if (opened?.layout !== LAYOUT || opened.tenantId !== tenantId) throw invalidCursor(name)
      if (clock() - opened.issuedAtMs > VALID_MS) {
        throw new AppError(
          'invalid_cursor',
          `${name} has expired: it is valid for 24 hours, start again from the first page`,
        )
      }
      return opened
    },
  }
}

export function invalidCursor(name: string): AppError {
  return new AppError('invalid_cursor', `${name} is not valid here: send it unchanged, with the request it came from`)
}
