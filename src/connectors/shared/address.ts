/** Addresses in envelopes and From headers. */

/** Strips the angle brackets of an envelope address (RFC 5321 section 4.1.2), if there are any. */
export function withoutBrackets(address: string): string {
  const trimmed = address.trim()
  return trimmed.startsWith('<') && trimmed.endsWith('>') ? trimmed.slice(1, -1) : trimmed
}

/** The part after the last @; undefined if it is missing or empty. */
export function domainOf(address: string): string | undefined {
  const at = address.lastIndexOf('@')
  const domain = at === -1 ? '' : address.slice(at + 1).trim()
  return domain === '' ? undefined : domain
}

/** The first address of a From header (RFC 5322 section 3.6.2), whatever its display name contains. */
export function findFromAddress(from: string): string | undefined {
  // Quoted strings and comments may contain brackets and @ signs of their own.
  let bare = from.slice(0, FROM_LENGTH_MAX)
  if (bare.includes('"')) bare = bare.replaceAll(QUOTED, (quoted, end) => (end === '' ? quoted : '""'))
  if (bare.includes('(')) bare = bare.replaceAll(/\([^()]*\)/g, '')
  return findInBrackets(bare) ?? bare.split(/[\s<>,;:]/).find((word) => hasInnerAt(word))
}

/** A quoted string, or one that is not closed, up to the end: each character is examined once. */
const QUOTED = /"(?:[^"\\]|\\.)*("?)/gs

function findInBrackets(text: string): string | undefined {
  const address = /<([^<>\s]*)/g
  for (const { 1: inside = '', index, 0: whole } of text.matchAll(address)) {
    if (text[index + whole.length] === '>' && inside.includes('@')) return inside
  }
  return undefined
}

/** With something before it and after it. */
function hasInnerAt(word: string): boolean {
  const at = word.indexOf('@', 1)
  return at !== -1 && at < word.length - 1
}

const FROM_LENGTH_MAX = 2000

/** Candidates for the sender domain: the From header first, because the envelope may name a bounce handler. */
export function senderDomainsOf(from: string | undefined, sender: string | undefined): readonly string[] {
  const fromDomain = from === undefined ? undefined : domainOf(findFromAddress(from) ?? '')
  const senderDomain = sender === undefined ? undefined : domainOf(sender)
  if (senderDomain === undefined || senderDomain === fromDomain) return fromDomain === undefined ? [] : [fromDomain]
  return fromDomain === undefined ? [senderDomain] : [fromDomain, senderDomain]
}
