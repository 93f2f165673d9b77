/** The name that a domain-spec stands for once its macros are expanded: something DNS can be asked for, or not. */
import { isTopLabel } from './macro-string.ts'

const NAME_LENGTH_MAX = 253
/** What a domain-spec can produce (section 7.1): visible ASCII, and the space of `%_`. */
const LABEL = /^[\x20-\x2d\x2f-\x7e]{1,63}$/

/** Undefined for what section 4.3 calls malformed: an empty or too long label, a single label, an address. */
export function toTargetName(expanded: string): string | undefined {
  const name = shorten(withoutFinalDot(expanded))
  return isSound(name) ? name : undefined
}

/** The same for a domain that is no expansion, which is not shortened. */
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

/** Section 7.3: what is too long for DNS loses labels on its left. */
function shorten(name: string): string {
  if (name.length <= NAME_LENGTH_MAX) return name
  const dot = name.indexOf('.', name.length - NAME_LENGTH_MAX - 1)
  return dot < 0 ? name : name.slice(dot + 1)
}
