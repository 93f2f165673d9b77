/** Addresses that reports come back to: a signed reference before the @. */
import { findReference, lowerCase, type Reference, type References, type Subject } from './reference.ts'

/** RFC 5321 section 4.5.3.1.1. Most servers take more. */
export const LOCAL_PART_OCTETS_MAX = 64

/** The header of ours that says which message it is. Its value is a reference with its domain. */
export const REFERENCE_HEADER = 'X-Envelog-Ref'

/** Below the sender domain, the host tells the domain; elsewhere it has to be written down. */
export function makeReturnPath(references: References, subject: Subject, host: string): string {
  const reference = references.sign(subject)
  const isBelow = namesAbove(host).includes(lowerCase(subject.domain))
  return `${isBelow ? reference : `${reference}=${subject.domain}`}@${host}`
}

/** For envelope ids (RFC 3461 section 4.4) and for our header. */
export function makeFullReference(references: References, subject: Subject): string {
  return `${references.sign(subject)}=${subject.domain}`
}

/** A reference and the domains that it may be of, the most telling first. */
export interface FoundReference {
  readonly reference: Reference
  readonly domains: readonly string[]
  /** The address that it stood in. */
  readonly returnPath?: string
}

/** Whatever comes before a `+` is the mailbox that the operator chose to sort by. */
export function findInAddress(address: string): FoundReference | undefined {
  const at = address.lastIndexOf('@')
  if (at === -1) return undefined
  const local = address.slice(0, at)
  const reference = findReference(local.slice(local.lastIndexOf('+') + 1))
  if (!reference) return undefined
  const domains = reference.domain === undefined ? namesAbove(address.slice(at + 1)) : [reference.domain]
  return { reference, domains, returnPath: address }
}

/** A reference that carries its domain. In an envelope id it may still be encoded as xtext (RFC 3461 section 4). */
export function findFullReference(text: string): FoundReference | undefined {
  const reference = findReference(text) ?? findReference(decodeXtext(text))
  return reference?.domain === undefined ? undefined : { reference, domains: [reference.domain] }
}

function decodeXtext(text: string): string {
  return text.replaceAll(/\+([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

const LABELS_MAX = 10

/** The name itself and those above it, down to two labels; sender domains have no fewer. */
export function namesAbove(host: string): readonly string[] {
  const labels = lowerCase(host.trim()).replace(/\.$/, '').split('.').slice(-LABELS_MAX)
  return labels.slice(0, -1).map((_, index) => labels.slice(index).join('.'))
}
