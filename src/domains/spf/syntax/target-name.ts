/** The target name of an expanded domain-spec, if it is valid in DNS. */
import { NAME_LENGTH_MAX } from '../../domain-name.ts'
import { isTopLabel } from './macro-string.ts'

/** The characters that a domain-spec can produce (RFC 7208 7.1): visible ASCII, and the space of `%_`. */
const LABEL = /^[\x20-\x2d\x2f-\x7e]{1,63}$/

/** Undefined for a malformed name (RFC 7208 4.3): an empty or too long label, a single label, an address. */
export function toTargetName(expanded: string): string | undefined {
  return ifSound(shorten(expanded.replace(/\.$/, '')))
}

/** The same for a domain that is not the result of an expansion, and so is not shortened. */
export function toDomainName(domain: string): string | undefined {
  return ifSound(domain.replace(/\.$/, ''))
}

function ifSound(name: string): string | undefined {
  if (name.length > NAME_LENGTH_MAX) return undefined
  const labels = name.split('.')
  const isSound = labels.length > 1 && labels.every((label) => LABEL.test(label)) && isTopLabel(labels.at(-1) ?? '')
  return isSound ? name : undefined
}

/** RFC 7208 7.3: a name that is too long for DNS loses labels on the left. */
function shorten(name: string): string {
  if (name.length <= NAME_LENGTH_MAX) return name
  // Without a dot there, nothing is cut.
  return name.slice(name.indexOf('.', name.length - NAME_LENGTH_MAX - 1) + 1)
}
