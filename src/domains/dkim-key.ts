/** The key pair with which mail of a domain is signed: the public half goes into DNS, the private half to the MTA. */
import { generateKeyPair, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import type { Sealer } from '../lib/sealer.ts'
import type { DkimKey } from './domain.ts'

const generate = promisify(generateKeyPair)

/** How much longer the name of a DKIM record is than its domain. */
export const DKIM_PREFIX_LENGTH = 'env01234567._domainkey.'.length

/** RSA of 2048 bits: what every receiver verifies (RFC 8301 section 3.2), and it still fits into one TXT record. */
export async function createDkimKey(sealer: Sealer): Promise<DkimKey> {
  const { publicKey, privateKey } = await generate('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  return {
    // Random, so that a domain that was removed and added again never meets the old key in somebody's cache.
    selector: `env${randomBytes(4).toString('hex')}`,
    publicKey: publicKey.toString('base64'),
    sealedPrivateKey: sealer.seal(Buffer.from(privateKey)),
  }
}

/** PKCS #8 PEM. Throws when the key in the data folder is not the one it was sealed with. */
export function openDkimPrivateKey(key: DkimKey, sealer: Sealer): string {
  const pem = sealer.open(key.sealedPrivateKey)
  if (!pem) throw new Error(`the private DKIM key ${key.selector} was sealed with another master key`)
  return pem.toString()
}

/** What to publish, RFC 6376 section 3.6.1. */
export function dkimRecordValue(publicKey: string): string {
  return `v=DKIM1; k=rsa; p=${publicKey}`
}
