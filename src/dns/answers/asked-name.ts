/** Validates names before they are queried, and relates names to zones. */

import { LABEL_LENGTH_MAX, NAME_LENGTH_MAX } from '../../domains/domain-name.ts'

/** Lower case without the final dot; or the problem, as a continuation of "the name …". */
export type AskedName = { readonly name: string } | { readonly problem: string }

/** Underscores are allowed: `_domainkey` and `_dmarc` use them to avoid host names (RFC 8552). */
export function readAskedName(text: string): AskedName {
  // Before toLowerCase, which turns the Kelvin sign into a k.
  if (/[^A-Za-z0-9._-]/.test(text)) return { problem: 'contains characters that are not allowed in a DNS query' }
  const name = text.toLowerCase().replace(/\.$/, '')
  if (name.length > NAME_LENGTH_MAX) return { problem: `is longer than ${NAME_LENGTH_MAX} characters` }
  const labels = name.split('.')
  if (labels.includes('')) return { problem: 'is empty or has an empty label' }
  if (labels.some((label) => label.length > LABEL_LENGTH_MAX)) {
    return { problem: `has a label of more than ${LABEL_LENGTH_MAX} characters` }
  }
  const top = labels.at(-1) ?? ''
  // RFC 6761 section 6.3: never sent to a name server.
  if (top === 'localhost') return { problem: 'refers to the local machine' }
  if (/^[0-9]+$/.test(top)) return { problem: 'is an IP address' }
  if (labels.length < 2) return { problem: 'is a single label' }
  return { name }
}

/** The name one label up; undefined at the top. */
export function findParent(name: string): string | undefined {
  return name.includes('.') ? name.slice(name.indexOf('.') + 1) : undefined
}

/** Whether a name is `zone` or below it; every name is below the root, ''. */
export function isWithin(name: string, zone: string): boolean {
  return zone === '' || name === zone || name.endsWith(`.${zone}`)
}
