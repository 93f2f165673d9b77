/** A rule that tells the class of a failure, and the operator's file of such rules (ENVELOG_BOUNCE_RULES). */
import { asList, isTextList, parseTable, type TablePart, unknownNames } from './operator-table.ts'

/** Everything that is given has to fit; of several patterns one is enough. */
export interface BounceRule {
  /** One of ours, or a label of the operator's own. */
  readonly class: string
  /** Three digits; `x` stands for any digit. */
  readonly code?: string | readonly string[]
  /** Three numbers with dots; `x` stands for any number. */
  readonly enhanced?: string | readonly string[]
  /** Regular expressions that match somewhere in the words, whatever their letter case. */
  readonly text?: string | readonly string[]
}

const CODE = /^[2-5x][0-9x]{2}$/
const ENHANCED = /^(?:[245x])\.(?:\d{1,3}|x)\.(?:\d{1,3}|x)$/

/** Throws with every problem of the file, in words that continue "the file …". */
export function parseBounceRules(json: string): readonly BounceRule[] {
  return parseTable<BounceRule>(json, 'rules', findProblems)
}

function findProblems(rule: TablePart): readonly string[] {
  const problems = unknownNames(rule, ['class', 'code', 'enhanced', 'text'])
  if (typeof rule['class'] !== 'string' || rule['class'] === '') problems.push('class: must be a name')
  problems.push(...findPatternProblems(rule, 'code', (code) => CODE.test(code) || 'must be three digits, x for any'))
  problems.push(
    ...findPatternProblems(rule, 'enhanced', (code) => ENHANCED.test(code) || 'must be like 5.1.1, x for any number'),
  )
  problems.push(...findPatternProblems(rule, 'text', (source) => isExpression(source) || 'is no regular expression'))
  if (rule['code'] === undefined && rule['enhanced'] === undefined && rule['text'] === undefined) {
    problems.push('fits everything: give it a code, an enhanced code or a text')
  }
  return problems
}

function findPatternProblems(rule: TablePart, name: string, check: (pattern: string) => true | string): string[] {
  const value = rule[name]
  if (value === undefined) return []
  if (!isTextList(value)) return [`${name}: must be a text or a list of texts`]
  return asList(value).flatMap((pattern) => {
    const verdict = check(pattern)
    return verdict === true ? [] : [`${name}: ${JSON.stringify(pattern)} ${verdict}`]
  })
}

function isExpression(source: string): boolean {
  try {
    return source !== '' && new RegExp(source, 'i') instanceof RegExp
  } catch {
    return false
  }
}
