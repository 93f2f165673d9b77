/** The target name of an expanded domain-spec, if it is valid in DNS. */
import { isTopLabel } from './macro-string.ts'

const NAME_LENGTH_MAX = 253
/** The characters that a domain-spec can produce (RFC 7208 7.1): visible ASCII, and the space of `%_`. */
const LABEL = /^[\x20-\x2d\x2f-\x7e]{1,63}$/

/** Undefined for a malformed name (RFC 7208 4.3): an empty or too long label, a single label, an address. */
export function toTargetName(expanded: string): string | undefined {
  const name = shorten(withoutFinalDot(expanded))
  return isSound(name) ? name : undefined
}

/** The same for a domain that is not the result of an expansion, and so is not shortened. */
export function toDomainName(domain: string): string | undefined {
  const name = withoutFinalDot(domain)
  return isSound(name) ? name : undefined
}

function isSound(name: string): boolean {
  if (name.length > NAME_LENGTH_MAX) return false
  const labels = name.split('.')
  return labels.length > 1 && labels.every((label) => LABEL.test(label)) && isTopLabel(labels.at(-1) ?? '')
}

function withoutFinalDot(name: string): string {
  return name.endsWith('.') ? name.slice(0, -1) : name
}

/** RFC 7208 7.3: a name that is too long for DNS loses labels on the left. */
function shorten(name: string): string {
  if (name.length <= NAME_LENGTH_MAX) return name
  const dot = name.indexOf('.', name.length - NAME_LENGTH_MAX - 1)
  return dot < 0 ? name : name.slice(dot + 1)
}
