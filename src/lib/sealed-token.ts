/** A value in a text that its holder can neither read nor change: JSON, sealed, in the letters of a URL. */
import type { Sealer } from './sealer.ts'

export function writeToken(sealer: Sealer, value: object): string {
  return sealer.seal(Buffer.from(JSON.stringify(value))).toString('base64url')
}

/** Undefined for anything but the exact text that `writeToken` returned under the same sealer. */
export function readToken(sealer: Sealer, token: string): unknown {
  const bytes = Buffer.from(token, 'base64url')
  // Decoding is lenient (padding, stray characters, spare bits): only the exact text that was handed out counts.
  if (bytes.toString('base64url') !== token) return undefined
  const plain = sealer.open(bytes)
  return plain && JSON.parse(plain.toString())
}
