/**
 * An API key as text: `env_<id>_<secret><checksum>`.
 *
 * The id is public and finds the record; the secret is stored only as its SHA-256. The checksum lets us refuse a
 * mistyped or cut-off key without asking the store, and lets secret scanners recognise a leaked key with certainty.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { type RandomSource, randomBase62, secureRandom, toBase62 } from './base62.ts'

const ID_LENGTH = 12
/** 43 characters of base 62 hold 256 bits. */
const SECRET_LENGTH = 43
/** 6 characters hold any CRC32. */
const CHECKSUM_LENGTH = 6
const SHAPE = /^(env_([0-9A-Za-z]{12})_([0-9A-Za-z]{43}))([0-9A-Za-z]{6})$/

export interface ParsedApiKey {
  readonly id: string
  readonly secretHash: Uint8Array
}

export interface MintedApiKey extends ParsedApiKey {
  /** The whole key, shown to its owner once and never kept. */
  readonly key: string
}

export function mintApiKey(random: RandomSource = secureRandom): MintedApiKey {
  const id = randomBase62(ID_LENGTH, random)
  const secret = randomBase62(SECRET_LENGTH, random)
  const body = `env_${id}_${secret}`
  return { id, key: body + checksum(body), secretHash: hashSecret(secret) }
}

/** Undefined for anything that cannot be a key of ours; then no store needs to be asked. */
export function parseApiKey(text: string): ParsedApiKey | undefined {
  const match = SHAPE.exec(text)
  if (!match) return undefined
  const [, body = '', id = '', secret = '', found] = match
  return found === checksum(body) ? { id, secretHash: hashSecret(secret) } : undefined
}

/** What an unknown id is compared with, so that it takes as long as a known id with a wrong secret. */
const NO_SECRET = new Uint8Array(32)

/** Takes the same time wherever the two differ. `stored` is undefined for an unknown id, which never matches. */
export function isSameSecret(stored: Uint8Array | undefined, presented: Uint8Array): boolean {
  const isEqual = timingSafeEqual(stored ?? NO_SECRET, presented)
  return isEqual && stored !== undefined
}

/** The secret has 256 random bits, so a slow password hash would add delay and no safety. */
function hashSecret(secret: string): Uint8Array {
  return createHash('sha256').update(secret).digest()
}

function checksum(body: string): string {
  return toBase62(crc32(body), CHECKSUM_LENGTH)
}
