/** Proves that a text was written by somebody who has one key: HMAC-SHA-256, with a purpose that separates uses. */
import { createHmac, createSecretKey, hkdfSync } from 'node:crypto'

export interface Signer {
  /** For whoever else has to sign, such as a mail server. */
  readonly key: Buffer
  sign(text: string): Buffer
}

/** Signatures made for different purposes are not valid for each other. */
export function createSigner(masterKey: Uint8Array, purpose: string): Signer {
  const key = Buffer.from(hkdfSync('sha256', masterKey, Buffer.alloc(0), `envelog ${purpose}`, 32))
  // Five times as fast as the bytes themselves, which would be taken in anew for each signature.
  const prepared = createSecretKey(key)
  return { key, sign: (text) => createHmac('sha256', prepared).update(text).digest() }
}
