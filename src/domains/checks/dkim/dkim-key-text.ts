/** The public key in a DKIM record, compared by its bytes (RFC 6376 section 3.6.1, RFC 8463 section 4). */
import { createPublicKey, type KeyObject } from 'node:crypto'
import type { DkimAlgorithm } from '../../domain.ts'
import type { Problem } from '../judging/verdict.ts'
import { dkimWords } from './dkim-words.ts'

/** RFC 8301 section 3.2. */
export const RSA_BITS_MIN = 1024

/** RSA with 16384 bits needs 2062. Longer ones are not given to the cryptographic library. */
const KEY_BYTES_MAX = 3072

/** RFC 6376 3.6.1: white space is allowed anywhere in the value. */
export function withoutSpace(text: string): string {
  return text.replace(/[ \t\r\n]+/g, '')
}

/** Undefined if the published key is the wanted one, which is well-formed base64. */
export function findDifference(
  at: string,
  publishedText: string,
  wanted: string,
  type: DkimAlgorithm,
): Problem | undefined {
  const published = withoutSpace(publishedText)
  if (published === '') return { diagnosis: 'key_revoked', text: dkimWords.revoked(at) }
  const [bytes, wantedBytes] = [Buffer.from(published, 'base64'), Buffer.from(wanted, 'base64')]
  if (isBase64(published) && bytes.equals(wantedBytes)) return undefined
  if (wanted.startsWith(published)) {
    return { diagnosis: 'truncated', text: dkimWords.cutOff(at, published.length, wanted.length, 'key') }
  }
  const damage = findDamage(at, published, wanted) ?? findLostPlus(at, publishedText, published, wanted)
  if (damage !== undefined) return { diagnosis: 'key_damaged', text: damage }
  return isOtherForm(bytes, wantedBytes, type)
    ? { diagnosis: 'key_form', text: dkimWords.otherForm(at, type) }
    : { diagnosis: 'other_key', text: dkimWords.otherKey(at) }
}

/** A form decodes "+" as a space, and DNS editors may then remove the spaces. */
function findLostPlus(at: string, publishedText: string, published: string, wanted: string): string | undefined {
  const isAllElse = published.replaceAll('+', '') === wanted.replaceAll('+', '')
  return isAllElse ? dkimWords.lostPlus(at, /[ \t]/.test(publishedText)) : undefined
}

function findDamage(at: string, published: string, wanted: string): string | undefined {
  if (published.startsWith(wanted)) return dkimWords.overlong(at, published.length - wanted.length)
  if (published.includes('-') && published.includes(wanted)) return dkimWords.surrounded(at)
  if (published.toLowerCase() === wanted.toLowerCase()) return dkimWords.letterCase(at)
  if (published.replaceAll('-', '+').replaceAll('_', '/') === wanted) return dkimWords.urlAlphabet(at)
  if (decodePercent(published) === wanted) return dkimWords.percentEncoded(at)
  const [character] = /[^A-Za-z0-9+/=]/u.exec(published) ?? []
  return character && dkimWords.noBase64(at, character)
}

function decodePercent(text: string): string {
  return text.replace(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
}

/** For a check without a key to compare with. Undefined if it is not a key of the type. */
export function readKey(publishedText: string, type: DkimAlgorithm): { readonly bits: number } | undefined {
  const published = withoutSpace(publishedText)
  if (!isBase64(published)) return undefined
  const bytes = Buffer.from(published, 'base64')
  if (type === 'ed25519') return bytes.length === 32 ? { bits: 256 } : undefined
  const key = importKey(bytes, 'spki')
  const bits = key?.asymmetricKeyType === 'rsa' ? key.asymmetricKeyDetails?.modulusLength : undefined
  return bits === undefined ? undefined : { bits }
}

/** Strict, because Buffer.from skips invalid characters and receivers do not. */
function isBase64(text: string): boolean {
  return /^[A-Za-z0-9+/]+={0,2}$/.test(text) && text.length % 4 === 0
}

/** RSA: as PKCS #1 instead of SubjectPublicKeyInfo. Ed25519: as SubjectPublicKeyInfo instead of the bare 32 bytes. */
function isOtherForm(published: Buffer, wanted: Buffer, type: DkimAlgorithm): boolean {
  if (type === 'ed25519') {
    const key = importKey(published, 'spki')
    return key?.asymmetricKeyType === 'ed25519' && published.subarray(-32).equals(wanted)
  }
  return importKey(published, 'pkcs1')?.export({ type: 'spki', format: 'der' }).equals(wanted) === true
}

function importKey(key: Buffer, type: 'spki' | 'pkcs1'): KeyObject | undefined {
  if (key.length > KEY_BYTES_MAX) return undefined
  try {
    return createPublicKey({ key, type, format: 'der' })
  } catch {
    return undefined
  }
}
