/**
 * An API key as text: `env_<id>_<secret><checksum>`.
 *
 * The id is public and identifies the record; the secret is stored only as its SHA-256. The checksum allows refusing a
 * mistyped or truncated key without a lookup, and lets secret scanners recognize a leaked key with certainty.
 */
import { hash, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { type RandomSource, randomBase62, secureRandom, toBase62 } from './base62.ts'

const ID_LENGTH = 12
/** 43 characters of base62 hold 256 bits. */
const SECRET_LENGTH = 43
/** 6 characters hold any CRC32. */
const CHECKSUM_LENGTH = 6
const SHAPE = /^(env_([0-9A-Za-z]{12})_([0-9A-Za-z]{43}))([0-9A-Za-z]{6})$/

export interface ParsedApiKey {
  readonly id: string
  readonly secretHash: Uint8Array
}

export interface MintedApiKey extends ParsedApiKey {
  /** The whole key, shown to its owner once and never stored. */
  readonly key: string
}

export function mintApiKey(random: RandomSource = secureRandom): MintedApiKey {
  const id = randomBase62(ID_LENGTH, random)
  const secret = randomBase62(SECRET_LENGTH, random)
  const body = `env_${id}_${secret}`
  return { id, key: body + checksum(body), secretHash: hashSecret(secret) }
}

/** Undefined for anything that cannot be an Envelog key, without asking the store. */
export function parseApiKey(text: string): ParsedApiKey | undefined {
  const match = SHAPE.exec(text)
  if (!match) return undefined
  const [, body = '', id = '', secret = '', found] = match
  return found === checksum(body) ? { id, secretHash: hashSecret(secret) } : undefined
}

/** Compared with if the id is unknown, so that this takes as long as a known id with a wrong secret. */
const NO_SECRET = new Uint8Array(32)

/** In constant time. `stored` is undefined for an unknown id, which never matches. */
export function isSameSecret(stored: Uint8Array | undefined, presented: Uint8Array): boolean {
  const isEqual = timingSafeEqual(stored ?? NO_SECRET, presented)
  return isEqual && stored !== undefined
}

/** The secret has 256 random bits, so a slow password hash would add delay but no security (decision 0006). */
function hashSecret(secret: string): Uint8Array {
  return hash('sha256', secret, 'buffer')
}

function checksum(body: string): string {
  return toBase62(crc32(body), CHECKSUM_LENGTH)
}
