/** The public key in a DKIM record, compared by its bytes (RFC 6376 section 3.6.1, RFC 8463 section 4). */
import { createPublicKey, type KeyObject } from 'node:crypto'

export type DkimKeyType = 'rsa' | 'ed25519'

/** RFC 8301 section 3.2. */
export const RSA_BITS_MIN = 1024

export type KeyComparison =
  | { readonly kind: 'same' }
  | { readonly kind: 'empty' }
  /** Only the first `matching` characters of the key are there. */
  | { readonly kind: 'cut_off'; readonly matching: number; readonly wanted: number }
  /** The whole key is there, followed by other characters. */
  | { readonly kind: 'overlong'; readonly extra: number }
  | { readonly kind: 'letter_case' }
  | { readonly kind: 'url_alphabet' }
  | { readonly kind: 'no_base64'; readonly character: string }
  /** Our key, in an encoding other than that of the RFCs. */
  | { readonly kind: 'other_form' }
  | { readonly kind: 'other' }

/** RFC 6376 3.6.1: white space is allowed anywhere in the value. */
export function withoutSpace(text: string): string {
  return text.replace(/[ \t\r\n]+/g, '')
}

/** Both in base64, the wanted one well-formed. */
export function compareKeys(publishedText: string, wanted: string, type: DkimKeyType): KeyComparison {
  const published = withoutSpace(publishedText)
  if (published === '') return { kind: 'empty' }
  if (isBase64(published) && sameBytes(published, wanted)) return { kind: 'same' }
  if (wanted.startsWith(published)) return { kind: 'cut_off', matching: published.length, wanted: wanted.length }
  if (published.startsWith(wanted)) return { kind: 'overlong', extra: published.length - wanted.length }
  if (published.toLowerCase() === wanted.toLowerCase()) return { kind: 'letter_case' }
  if (published.replaceAll('-', '+').replaceAll('_', '/') === wanted) return { kind: 'url_alphabet' }
  const [character] = /[^A-Za-z0-9+/=]/u.exec(published) ?? []
  if (character !== undefined) return { kind: 'no_base64', character }
  return isOtherForm(Buffer.from(published, 'base64'), Buffer.from(wanted, 'base64'), type)
    ? { kind: 'other_form' }
    : { kind: 'other' }
}

/** For a check without a key to compare with. Undefined if it is not a key of the type. */
export function readKey(publishedText: string, type: DkimKeyType): { readonly bits: number } | undefined {
  const published = withoutSpace(publishedText)
  if (!isBase64(published)) return undefined
  const bytes = Buffer.from(published, 'base64')
  if (type === 'ed25519') return bytes.length === 32 ? { bits: 256 } : undefined
  const key = importKey(bytes, 'spki')
  if (key?.asymmetricKeyType !== 'rsa') return undefined
  return { bits: key.asymmetricKeyDetails?.modulusLength ?? 0 }
}

/** Strict, because Buffer.from skips invalid characters and receivers do not. */
function isBase64(text: string): boolean {
  return /^[A-Za-z0-9+/]+={0,2}$/.test(text) && text.length % 4 === 0
}

function sameBytes(one: string, other: string): boolean {
  return Buffer.from(one, 'base64').equals(Buffer.from(other, 'base64'))
}

/** RSA: as PKCS #1 instead of SubjectPublicKeyInfo. Ed25519: as SubjectPublicKeyInfo instead of the bare 32 bytes. */
function isOtherForm(published: Buffer, wanted: Buffer, type: DkimKeyType): boolean {
  if (type === 'ed25519') {
    const key = importKey(published, 'spki')
    return key?.asymmetricKeyType === 'ed25519' && published.subarray(-32).equals(wanted)
  }
  return importKey(published, 'pkcs1')?.export({ type: 'spki', format: 'der' }).equals(wanted) === true
}

function importKey(key: Buffer, type: 'spki' | 'pkcs1'): KeyObject | undefined {
  try {
    return createPublicKey({ key, type, format: 'der' })
  } catch {
    return undefined
  }
}
