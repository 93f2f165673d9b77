/** The target name of a term as far as it is the same for every message: the macros of the domain, and no others. */
import { expandMacros } from './macro-expansion.ts'
import type { MacroLetter, MacroString } from './macro-string.ts'
import type { SpfAskingTerm } from './spf-term.ts'
import { toTargetName } from './target-name.ts'

export type StaticTarget =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'malformed'; readonly text: string }
  /** Sender, address or HELO name decide: there is no one name to look at. */
  | { readonly kind: 'depends_on_message'; readonly letters: readonly MacroLetter[] }

/** d is the domain whose policy it is. o is the sender's domain: the one at the root of the tree. */
const STATIC: readonly MacroLetter[] = ['d', 'o']

export function readStaticTarget(term: SpfAskingTerm, domain: string, rootDomain: string): StaticTarget {
  if (term.domainSpec === undefined) return { kind: 'name', name: domain }
  return resolve(term.domainSpec, { d: domain, o: rootDomain })
}

function resolve(domainSpec: MacroString, values: { readonly d: string; readonly o: string }): StaticTarget {
  const letters = domainSpec.flatMap((part) => (part.kind === 'macro' ? [part.letter] : []))
  const dynamic = letters.filter((letter) => !STATIC.includes(letter))
  if (dynamic.length > 0) return { kind: 'depends_on_message', letters: [...new Set(dynamic)] }
  const text = expandMacros(domainSpec, values)
  const name = toTargetName(text)
  return name === undefined ? { kind: 'malformed', text } : { kind: 'name', name: name.toLowerCase() }
}
