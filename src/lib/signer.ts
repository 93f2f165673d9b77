/** Proves that a text was written by somebody who has one key: HMAC-SHA-256, with a purpose that separates uses. */
import { createHmac, hkdfSync } from 'node:crypto'

export interface Signer {
  /** For whoever else has to sign, such as a mail server. */
  readonly key: Buffer
  sign(text: string): Buffer
}

/** Signatures made for different purposes are not valid for each other. */
export function createSigner(masterKey: Uint8Array, purpose: string): Signer {
  const key = Buffer.from(hkdfSync('sha256', masterKey, Buffer.alloc(0), `envelog ${purpose}`, 32))
  return { key, sign: (text) => createHmac('sha256', key).update(text).digest() }
}
