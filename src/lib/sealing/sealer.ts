/** Encrypts and authenticates small values under one key: AES-256-GCM, a fresh nonce each time, a purpose that separates uses. */
import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, randomBytes } from 'node:crypto'

const NONCE_BYTES = 12
const TAG_BYTES = 16

export interface Sealer {
  seal(plain: Uint8Array): Buffer
  /** Undefined if the value was not sealed with this key for this purpose, or was changed since. */
  open(sealed: Uint8Array): Buffer | undefined
}

/** Sealers for different purposes cannot open each other's values. */
export function createSealer(masterKey: Uint8Array, purpose: string): Sealer {
  // Prepared once; raw bytes would be imported again for each value.
  const key = createSecretKey(Buffer.from(hkdfSync('sha256', masterKey, Buffer.alloc(0), `envelog ${purpose}`, 32)))
  return {
    seal(plain) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', key, nonce)
      const body = Buffer.concat([cipher.update(plain), cipher.final()])
      return Buffer.concat([nonce, body, cipher.getAuthTag()])
    },
    open(sealed) {
      if (sealed.length < NONCE_BYTES + TAG_BYTES) return undefined
      const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.length)
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      })
      decipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES))
      try {
        const body = decipher.update(bytes.subarray(NONCE_BYTES, bytes.length - TAG_BYTES))
        return Buffer.concat([body, decipher.final()])
      } catch {
        return undefined
      }
    },
  }
}
