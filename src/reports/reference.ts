/**
 * A signed reference to a message, short enough for an address, and valid even if its case is changed in transit:
 *
 *     l01890a5d-ac96-774b-bcce-b302099a8057-3f0c9d1e5b7a2468ace0
 *     |                                     20 hex digits of the signature
 *     encoding of the id: l as it is, u converted from upper case, x as hex digits
 *
 * If the context does not determine the domain, `=acme.com` follows. docs/connectors/reports.md describes the algorithm
 * for mail servers that generate references themselves.
 */
import { timingSafeEqual } from 'node:crypto'
import type { Signer } from '../lib/sealing/signer.ts'

/** RFC 2104 section 5: no fewer than 80 bits. Every guess costs a message. */
const MAC_DIGITS = 20

/** What a reference stands for. */
export interface Subject {
  /** The sender domain. */
  readonly domain: string
  readonly messageId: string
  /** Absent if it stands for all recipients of the message. */
  readonly recipient?: string | undefined
}

/** A reference as it was found, not yet verified by `References.findRecipient`. */
export interface Reference {
  readonly messageId: string
  readonly mac: string
  /** As written after the reference itself. */
  readonly domain?: string
}

export interface References {
  /** For other programs that generate references. */
  readonly key: Buffer
  /** Without the domain. */
  sign(subject: Subject): string
  /**
   * The recipient, among the given ones, that the reference was signed for; empty if it was signed for the message as a
   * whole; undefined if it was signed for none of them, or not by us.
   */
  findRecipient(reference: Reference, domain: string, recipients: Iterable<string>): string | undefined
}

export function createReferences(signer: Signer): References {
  const macOf = (by: Signer, domain: string, messageId: string, recipient: string) =>
    by
      .sign(`${lowerCase(domain)}\n${messageId}\n${lowerCase(recipient)}`)
      .toString('hex')
      .slice(0, MAC_DIGITS)
  return {
    get key() {
      return signer.key
    },
    sign: ({ domain, messageId, recipient = '' }) =>
      `${writeMessageId(messageId)}-${macOf(signer, domain, messageId, recipient)}`,
    findRecipient({ messageId, mac }, domain, recipients) {
      for (const by of [signer, ...signer.older]) {
        const isSignedFor = (recipient: string) =>
          timingSafeEqual(Buffer.from(macOf(by, domain, messageId, recipient)), Buffer.from(mac))
        if (isSignedFor('')) return ''
        for (const recipient of recipients) if (isSignedFor(recipient)) return recipient
      }
      return undefined
    },
  }
}

/** Characters that need no quoting in a local part (RFC 5321 section 4.1.2), in a header and in a shell. */
const PLAIN_ID = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/

function writeMessageId(messageId: string): string {
  if (PLAIN_ID.test(messageId)) return `l${messageId}`
  const lower = lowerCase(messageId)
  if (PLAIN_ID.test(lower) && lower.toUpperCase() === messageId) return `u${lower}`
  return `x${Buffer.from(messageId).toString('hex')}`
}

function readMessageId(kind: string, written: string): string | undefined {
  if (kind === 'l') return written
  if (kind === 'u') return written.toUpperCase()
  return /^(?:[0-9a-f]{2})+$/.test(written) ? Buffer.from(written, 'hex').toString() : undefined
}

const REFERENCE = /^([lux])([a-z0-9._-]{1,510})-([0-9a-f]{20})(?:=([a-z0-9.-]{1,253}))?$/

/** Undefined if the text is not a reference. */
export function findReference(text: string): Reference | undefined {
  const [, kind = '', written = '', mac = '', domain] = REFERENCE.exec(lowerCase(text.trim())) ?? []
  const messageId = readMessageId(kind, written)
  if (messageId === undefined) return undefined
  return { messageId, mac, ...(domain !== undefined && { domain }) }
}

/** ASCII only, so that policies in any language can do the same. */
export function lowerCase(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
