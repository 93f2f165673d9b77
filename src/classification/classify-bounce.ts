/** Classifies a failure: the first rule that matches its code, enhanced code and text. */
import { UNCATEGORIZED } from './bounce-classes.ts'
import type { BounceRule } from './bounce-rule.ts'
import { BOUNCE_RULES } from './bounce-rules.ts'
import { asList } from './operator-table.ts'

export interface Failure {
  /** Ignored unless it is a number. */
  readonly code?: unknown
  /** Dotted; if absent, it is taken from the start of the text. */
  readonly enhancedCode?: string | undefined
  readonly text?: string | undefined
}

export type BounceClassifier = (failure: Failure) => string

/** Long enough for any explanation; a server could send a whole page for every recipient. */
const TEXT_LENGTH_MAX = 1000

/** Servers repeat the same few texts; a cached answer takes a third of the time of the rules. */
const CACHED_MAX = 5000

/** The operator's rules come before ours. */
export function createBounceClassifier(operatorRules: readonly BounceRule[] = []): BounceClassifier {
  const rules = [
    ...operatorRules.map((rule) => compileRule(rule, 'i')),
    ...BOUNCE_RULES.map((rule) => compileRule(rule)),
  ]
  const cached = new Map<string, string>()
  return ({ code, enhancedCode, text = '' }) => {
    const words = withoutAddresses(text.slice(0, TEXT_LENGTH_MAX)).toLowerCase()
    const digits = typeof code === 'number' ? String(code) : ''
    const enhanced = enhancedCode || findEnhancedCode(words)
    const key = `${digits} ${enhanced} ${words}`
    let found = cached.get(key)
    if (found === undefined) {
      found = rules.find((rule) => matches(rule, digits, enhanced, words))?.class ?? UNCATEGORIZED
      if (cached.size >= CACHED_MAX) cached.clear()
      cached.set(key, found)
    }
    return found
  }
}

const ADDRESS = /[^\s<>"'():;,]{1,64}@[^\s<>"'():;,]{1,255}/g

/** The words within an address do not count: spam@example.org says nothing about spam. */
function withoutAddresses(text: string): string {
  return text.includes('@') ? text.replaceAll(ADDRESS, '@') : text
}

/** RFC 2034 section 4: the enhanced code is the first word of the text. qmail writes it at the end: "(#5.1.1)". */
const ENHANCED_IN_TEXT = /^(?:\d{3}[ -])?#?([245]\.\d{1,3}\.\d{1,3})\b|\(#([245]\.\d{1,3}\.\d{1,3})\)\.?$/

function findEnhancedCode(text: string): string {
  const [, first, last] = ENHANCED_IN_TEXT.exec(text) ?? []
  return first ?? last ?? ''
}

interface CompiledRule {
  readonly class: string
  readonly code: RegExp | undefined
  readonly enhanced: RegExp | undefined
  readonly text: RegExp | undefined
}

/** The cheapest comparison first. */
function matches(rule: CompiledRule, code: string, enhanced: string, text: string): boolean {
  if (rule.code && !rule.code.test(code)) return false
  if (rule.enhanced && !rule.enhanced.test(enhanced)) return false
  return rule.text?.test(text) ?? true
}

/** Our rules are in lower case, like the text they are matched with: case-insensitive matching takes twice as long. */
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
  const sources = asList(patterns).map((pattern) => `(?:${toSource(pattern)})`)
  return new RegExp(sources.join('|'), flags)
}
