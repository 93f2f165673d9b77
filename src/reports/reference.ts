/**
 * A signed name of a message, short enough for an address and proof against letters that lose their case on the way:
 *
 *     l01890a5d-ac96-774b-bcce-b302099a8057-3f0c9d1e5b7a2468ace0
 *     |                                     20 hex digits of the signature
 *     how the id is written: l as it is, u it was in upper case, x as hex digits
 *
 * Where the domain is not told by the place in which it stands, `=acme.com` follows. docs/connectors/reports.md has the algorithm for
 * mail servers that write references themselves.
 */
import { timingSafeEqual } from 'node:crypto'
import type { Signer } from '../lib/signer.ts'

/** RFC 2104 section 5: not fewer than 80 bits. Every guess costs a message. */
const MAC_DIGITS = 20

/** What a reference was made for. */
export interface Subject {
  /** The sender domain. */
  readonly domain: string
  readonly messageId: string
  /** Absent where it stands for all recipients of the message. */
  readonly recipient?: string | undefined
}

/** A reference as it was found; what it claims is proven only by `References.findRecipient`. */
export interface Reference {
  readonly messageId: string
  readonly mac: string
  /** As written behind the reference itself. */
  readonly domain?: string
}

export interface References {
  /** For whoever else writes references. */
  readonly key: Buffer
  /** Without the domain. */
  sign(subject: Subject): string
  /**
   * Whom of these the reference was made for. The empty text where it was made for the message as a whole; undefined when
   * it was made for none of them, or not by us.
   */
  findRecipient(reference: Reference, domain: string, recipients: Iterable<string>): string | undefined
}

export function createReferences(signer: Signer): References {
  const macOf = (domain: string, messageId: string, recipient: string) =>
    signer
      .sign(`${lowerCase(domain)}\n${messageId}\n${lowerCase(recipient)}`)
      .toString('hex')
      .slice(0, MAC_DIGITS)
  return {
    key: signer.key,
    sign: ({ domain, messageId, recipient = '' }) =>
      `${writeMessageId(messageId)}-${macOf(domain, messageId, recipient)}`,
    findRecipient({ messageId, mac }, domain, recipients) {
      const isFor = (recipient: string) =>
        timingSafeEqual(Buffer.from(macOf(domain, messageId, recipient)), Buffer.from(mac))
      if (isFor('')) return ''
      for (const recipient of recipients) if (isFor(recipient)) return recipient
      return undefined
    },
  }
}

/** Letters that stay themselves in an unquoted local part (RFC 5321 section 4.1.2), in a header and on a shell's line. */
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

/** Undefined for what cannot be one. */
export function findReference(text: string): Reference | undefined {
  const [, kind = '', written = '', mac = '', domain] = REFERENCE.exec(lowerCase(text.trim())) ?? []
  const messageId = kind === '' ? undefined : readMessageId(kind, written)
  if (messageId === undefined) return undefined
  return { messageId, mac, ...(domain !== undefined && { domain }) }
}

/** ASCII only, so that every language that a mail server's policy is written in does the same. */
export function lowerCase(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
