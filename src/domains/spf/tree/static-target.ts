/** The target name of a term, if it does not depend on the message: it may use only the macros of the domain. */
import { expandMacros } from '../syntax/macro-expansion.ts'
import type { MacroLetter } from '../syntax/macro-string.ts'
import type { SpfAskingTerm } from '../syntax/spf-term.ts'
import { toTargetName } from '../syntax/target-name.ts'

export type StaticTarget =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'malformed_target'; readonly text: string }
  /** The target depends on the sender, its address or its HELO name. */
  | { readonly kind: 'depends_on_message'; readonly letters: readonly MacroLetter[] }

/** d is the domain of the policy. o is the domain of the sender, the root of the tree. */
const STATIC: readonly MacroLetter[] = ['d', 'o']

export function readStaticTarget({ domainSpec }: SpfAskingTerm, domain: string, rootDomain: string): StaticTarget {
  if (domainSpec === undefined) return { kind: 'name', name: domain }
  const letters = domainSpec.flatMap((part) => (part.kind === 'macro' ? [part.letter] : []))
  const dynamic = letters.filter((letter) => !STATIC.includes(letter))
  if (dynamic.length > 0) return { kind: 'depends_on_message', letters: [...new Set(dynamic)] }
  const text = expandMacros(domainSpec, { d: domain, o: rootDomain })
  const name = toTargetName(text)
  return name === undefined ? { kind: 'malformed_target', text } : { kind: 'name', name: name.toLowerCase() }
}
