/** Return paths: addresses for bounces, with a signed reference before the @. */
import { findReference, lowerCase, type Reference, type References, type Subject } from './reference.ts'

/** RFC 5321 section 4.5.3.1.1. Most servers accept more. */
export const LOCAL_PART_OCTETS_MAX = 64

/** Our header that identifies a message. Its value is a reference with its domain. */
export const REFERENCE_HEADER = 'X-Envelog-Ref'

/** The reference includes the domain unless the host is the sender domain or below it. */
export function makeReturnPath(references: References, subject: Subject, host: string): string {
  const reference = references.sign(subject)
  const isBelow = namesAbove(host).includes(lowerCase(subject.domain))
  return `${isBelow ? reference : `${reference}=${subject.domain}`}@${host}`
}

/** For envelope ids (RFC 3461 section 4.4) and for our header. */
export function makeFullReference(references: References, subject: Subject): string {
  return `${references.sign(subject)}=${subject.domain}`
}

/** A reference and its possible domains, most specific first. */
export interface FoundReference {
  readonly reference: Reference
  readonly domains: readonly string[]
  /** The address that contained it. */
  readonly returnPath?: string
}

/** Longer than any that is issued: the longest id in hexadecimal digits, and a domain. */
const REFERENCE_LENGTH_MAX = 1000

/** The part before a `+` is a mailbox name chosen by the operator. */
export function findInAddress(address: string): FoundReference | undefined {
  const at = address.lastIndexOf('@')
  if (at === -1 || address.length > REFERENCE_LENGTH_MAX) return undefined
  const local = address.slice(0, at)
  const reference = findReference(local.slice(local.lastIndexOf('+') + 1))
  if (!reference) return undefined
  const domains = reference.domain === undefined ? namesAbove(address.slice(at + 1)) : [reference.domain]
  return { reference, domains, returnPath: address }
}

/** A reference that includes its domain. In an envelope id it may still be encoded as xtext (RFC 3461 section 4). */
export function findFullReference(text: string): FoundReference | undefined {
  if (text.length > REFERENCE_LENGTH_MAX) return undefined
  const reference = findReference(decodeXtext(text))
  return reference?.domain === undefined ? undefined : { reference, domains: [reference.domain] }
}

function decodeXtext(text: string): string {
  return text.replaceAll(/\+([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

const LABELS_MAX = 10

/** The name itself and its parents with at least two labels, the minimum for a sender domain. */
export function namesAbove(host: string): readonly string[] {
  const labels = lowerCase(host.trim()).replace(/\.$/, '').split('.').slice(-LABELS_MAX)
  return labels.slice(0, -1).map((_, index) => labels.slice(index).join('.'))
}
