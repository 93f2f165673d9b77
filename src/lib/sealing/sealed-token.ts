/** Tokens that their holder can neither read nor change: sealed JSON in base64url. */
import type { Sealer } from './sealer.ts'

export function writeToken(sealer: Sealer, value: object): string {
  return sealer.seal(Buffer.from(JSON.stringify(value))).toString('base64url')
}

/** Undefined unless `writeToken` returned exactly this text with the same sealer. */
export function readToken(sealer: Sealer, token: string): unknown {
  const bytes = Buffer.from(token, 'base64url')
  // Decoding is lenient (padding, stray characters, spare bits); accept only the canonical spelling.
  if (bytes.toString('base64url') !== token) return undefined
  const plain = sealer.open(bytes)
  return plain && JSON.parse(plain.toString())
}
