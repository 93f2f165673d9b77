/** Properties of a key besides its scopes: a name, an expiry, and the networks that it may be used from. */
import { AppError } from '../../lib/app-error.ts'
import { toIsoTime } from '../../lib/clock.ts'
import { isNetwork, Networks } from '../../lib/net/networks.ts'
import { parsePrintableName } from './printable-name.ts'

export interface KeyLimits {
  /** Absent: none. */
  readonly name?: string
  /** From then on the key is refused like a revoked one. Absent: never. */
  readonly expiresAtMs?: number
  /** Addresses and CIDR blocks that the key may be used from. Absent: everywhere. */
  readonly networks?: readonly string[]
}

/** Empty or null removes a limit; absent leaves it as it is. */
export interface KeyChange {
  readonly name?: string
  readonly expiresAtMs?: number | null
  readonly networks?: readonly string[]
}

export const NETWORKS_MAX = 50
/** Years have four digits. */
const EXPIRES_AT_MAX_MS = Date.UTC(9999, 11, 31)

/** Checks unchecked input. Throws AppError `invalid_request`. */
export function parseKeyChange({ name, expiresAtMs, networks }: KeyChange, nowMs: number): KeyChange {
  return {
    ...(name !== undefined && { name: parsePrintableName('a key', name) }),
    ...(expiresAtMs !== undefined && { expiresAtMs: expiresAtMs === null ? null : requireFuture(expiresAtMs, nowMs) }),
    ...(networks !== undefined && { networks: parseNetworks(networks) }),
  }
}

/** The limits after a change. */
export function changeLimits(limits: KeyLimits, change: KeyChange): KeyLimits {
  const { name = '', expiresAtMs = null, networks = [] } = { ...limits, ...change }
  return {
    ...(name !== '' && { name }),
    ...(expiresAtMs !== null && { expiresAtMs }),
    ...(networks.length > 0 && { networks }),
  }
}

export function isExpired({ expiresAtMs = Number.POSITIVE_INFINITY }: KeyLimits, nowMs: number): boolean {
  return expiresAtMs <= nowMs
}

/** Records are cached by the store, so the set of a key is built once. */
const networksOfKey = new WeakMap<KeyLimits, Networks>()

export function isAllowedFrom(key: KeyLimits, address: string | undefined): boolean {
  if (key.networks === undefined) return true
  const networks = networksOfKey.get(key) ?? new Networks(key.networks)
  networksOfKey.set(key, networks)
  return networks.has(address ?? '')
}

function requireFuture(timeMs: number, nowMs: number): number {
  if (timeMs <= nowMs) {
    throw new AppError('invalid_request', `Invalid expires: ${toIsoTime(timeMs)} is not in the future.`)
  }
  if (timeMs > EXPIRES_AT_MAX_MS) throw new AppError('invalid_request', 'Invalid expires: it is after the year 9999.')
  return timeMs
}

function parseNetworks(texts: readonly string[]): readonly string[] {
  if (texts.length > NETWORKS_MAX) {
    throw new AppError(
      'invalid_request',
      `A key can have at most ${NETWORKS_MAX} networks; these are ${texts.length}. Combine them into larger ones`,
    )
  }
  const wrong = texts.find((text) => !isNetwork(text) || text.includes('%'))
  if (wrong !== undefined) {
    throw new AppError(
      'invalid_request',
      `${JSON.stringify(wrong.slice(0, 100))} is not a network. Allowed: an address or a CIDR block, such as 192.0.2.7, 10.0.0.0/8 or 2001:db8::/32`,
    )
  }
  return [...new Set(texts)]
}
