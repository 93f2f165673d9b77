/** Addresses as they stand in envelopes and From headers. */

/** Without the angle brackets of RFC 5321 section 4.1.2, where it has them. */
export function withoutBrackets(address: string): string {
  const trimmed = address.trim()
  return trimmed.startsWith('<') && trimmed.endsWith('>') ? trimmed.slice(1, -1) : trimmed
}

/** What follows the last @; undefined where nothing does. */
export function domainOf(address: string): string | undefined {
  const at = address.lastIndexOf('@')
  const domain = at === -1 ? '' : address.slice(at + 1).trim()
  return domain === '' ? undefined : domain
}

/** The first address of a From header (RFC 5322 section 3.6.2), whatever its display name holds. */
export function findFromAddress(from: string): string | undefined {
  // Quoted texts and comments may hold brackets and @ signs of their own.
  let bare = from.slice(0, FROM_LENGTH_MAX)
  if (bare.includes('"')) bare = bare.replaceAll(/"(?:[^"\\]|\\.)*"/gs, '""')
  if (bare.includes('(')) bare = bare.replaceAll(/\([^()]*\)/g, '')
  return /<([^<>\s]*@[^<>\s]*)>/.exec(bare)?.[1] ?? /[^\s<>,;:]+@[^\s<>,;:]+/.exec(bare)?.[0]
}

const FROM_LENGTH_MAX = 2000

/** The names that tell whose message it is: of the From header first, then of the envelope, whose domain may be a mere bounce handler. */
export function senderDomainsOf(from: string | undefined, sender: string | undefined): readonly string[] {
  const fromDomain = domainOf((from === undefined ? undefined : findFromAddress(from)) ?? '')
  const senderDomain = domainOf(sender ?? '')
  if (senderDomain === undefined || senderDomain === fromDomain) return fromDomain === undefined ? [] : [fromDomain]
  return fromDomain === undefined ? [senderDomain] : [fromDomain, senderDomain]
}
