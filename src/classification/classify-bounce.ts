/** Which class a failure has, by the first rule that fits its code, its enhanced code and its words. */
import { UNCATEGORIZED } from './bounce-classes.ts'
import type { BounceRule } from './bounce-rule.ts'
import { BOUNCE_RULES } from './bounce-rules.ts'

export interface Failure {
  readonly code?: number | undefined
  /** Dotted; found at the start of the words where it is absent. */
  readonly enhancedCode?: string | undefined
  readonly text?: string | undefined
}

export type BounceClassifier = (failure: Failure) => string

/** Beyond this nobody explains a failure; a server could send a page for every recipient. */
const TEXT_LENGTH_MAX = 1000

/** Servers repeat themselves, and rules take a while. */
const REMEMBERED_MAX = 5000

/** Of the operator's rules the first that fits wins, then of ours. */
export function createBounceClassifier(operatorRules: readonly BounceRule[] = []): BounceClassifier {
  const rules = [
    ...operatorRules.map((rule) => compileRule(rule, 'i')),
    ...BOUNCE_RULES.map((rule) => compileRule(rule)),
  ]
  const remembered = new Map<string, string>()
  return ({ code, enhancedCode, text = '' }) => {
    const words = withoutAddresses(text.slice(0, TEXT_LENGTH_MAX)).toLowerCase()
    const digits = code === undefined ? '' : String(code)
    const enhanced = enhancedCode || (ENHANCED_IN_TEXT.exec(words)?.[1] ?? '')
    const key = `${digits} ${enhanced} ${words}`
    let found = remembered.get(key)
    if (found === undefined) {
      found = rules.find((rule) => fits(rule, digits, enhanced, words))?.class ?? UNCATEGORIZED
      if (remembered.size >= REMEMBERED_MAX) remembered.clear()
      remembered.set(key, found)
    }
    return found
  }
}

const ADDRESS = /[^\s<>"'():;,]{1,64}@[^\s<>"'():;,]{1,255}/g

/** The names in an address are no words: spam@example.org says nothing about spam. */
function withoutAddresses(text: string): string {
  return text.includes('@') ? text.replaceAll(ADDRESS, '@') : text
}

/** RFC 2034 section 4: the enhanced code is the first word of the text. */
const ENHANCED_IN_TEXT = /^(?:\d{3}[ -])?([245]\.\d{1,3}\.\d{1,3})\b/

interface CompiledRule {
  readonly class: string
  readonly code: RegExp | undefined
  readonly enhanced: RegExp | undefined
  readonly text: RegExp | undefined
}

function fits(rule: CompiledRule, code: string, enhanced: string, text: string): boolean {
  // The cheap questions first.
  if (rule.code && !rule.code.test(code)) return false
  if (rule.enhanced && !rule.enhanced.test(enhanced)) return false
  return rule.text?.test(text) ?? true
}

/** Ours are written in lower case, as the words are by then; ignoring letter case takes twice as long. */
function compileRule(rule: BounceRule, flags = ''): CompiledRule {
  return {
    class: rule.class,
    code: anyOf(rule.code, (pattern) => `^${pattern.replaceAll('x', '\\d')}$`),
    enhanced: anyOf(rule.enhanced, (pattern) => `^${pattern.replaceAll('.', '\\.').replaceAll('x', '\\d+')}$`),
    text: anyOf(rule.text, (pattern) => pattern, flags),
  }
}

function anyOf(
  patterns: string | readonly string[] | undefined,
  toSource: (pattern: string) => string,
  flags = '',
): RegExp | undefined {
  if (patterns === undefined) return undefined
  const sources = (typeof patterns === 'string' ? [patterns] : patterns).map((pattern) => `(?:${toSource(pattern)})`)
  return new RegExp(sources.join('|'), flags)
}
