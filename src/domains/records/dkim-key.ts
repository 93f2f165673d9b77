/** The key pair that signs the mail of a domain: the public half goes into DNS, the private half to the MTA. */
import { generateKeyPair, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import type { Sealer } from '../../lib/sealing/sealer.ts'
import type { DkimAlgorithm, DkimKey } from '../domain.ts'

const generate = promisify(generateKeyPair)

const publicKeyEncoding = { type: 'spki', format: 'der' } as const
const privateKeyEncoding = { type: 'pkcs8', format: 'pem' } as const

/** The length that the name of a DKIM record adds to the domain name. */
export const DKIM_PREFIX_LENGTH = 'env01234567._domainkey.'.length

export interface DkimKeyRequest extends Pick<DkimKey, 'state'> {
  readonly algorithm?: DkimAlgorithm
  readonly nowMs: number
}

/** RSA with 2048 bits by default: every receiver can verify it (RFC 8301 section 3.2), and it fits into one TXT record. */
export async function createDkimKey(
  sealer: Sealer,
  { state, algorithm = 'rsa', nowMs }: DkimKeyRequest,
): Promise<DkimKey> {
  const isRsa = algorithm === 'rsa'
  const { publicKey, privateKey } = isRsa
    ? await generate('rsa', { modulusLength: 2048, publicKeyEncoding, privateKeyEncoding })
    : await generate('ed25519', { publicKeyEncoding, privateKeyEncoding })
  return {
    // Random, so that a resolver never has an older key cached under the same name.
    selector: `env${randomBytes(4).toString('hex')}`,
    algorithm,
    // RFC 8463 section 4: only the bare key is published, which is the last 32 bytes of SubjectPublicKeyInfo (RFC 8410).
    publicKey: (isRsa ? publicKey : publicKey.subarray(-32)).toString('base64'),
    sealedPrivateKey: sealer.seal(Buffer.from(privateKey)),
    state,
    createdAtMs: nowMs,
  }
}

/** PKCS #8 PEM. Throws if it was sealed with another master key. */
export function openDkimPrivateKey(key: DkimKey, sealer: Sealer): string {
  const pem = sealer.open(key.sealedPrivateKey)
  if (!pem) throw new Error(`the private DKIM key ${key.selector} was sealed with another master key`)
  return pem.toString()
}

/** The value to publish, RFC 6376 section 3.6.1. */
export function dkimRecordValue({ algorithm, publicKey }: Pick<DkimKey, 'algorithm' | 'publicKey'>): string {
  return `v=DKIM1; k=${algorithm}; p=${publicKey}`
}

export function dkimRecordName(domainName: string, selector: string): string {
  return `${selector}._domainkey.${domainName}`
}
