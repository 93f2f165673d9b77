/** A rule that classifies failures, and the operator's file of such rules (ENVELOG_BOUNCE_RULES). */
import { asList, isTextList, parseTable, type TablePart, unknownNames } from './operator-table.ts'

/** Every condition that is given has to match; one of several patterns is enough. */
export interface BounceRule {
  /** One of the built-in classes, or a label of the operator's own. */
  readonly class: string
  /** Three digits; `x` matches any digit. */
  readonly code?: string | readonly string[]
  /** Three numbers separated by dots; `x` matches any number. */
  readonly enhanced?: string | readonly string[]
  /** Regular expressions that match anywhere in the text, ignoring case. */
  readonly text?: string | readonly string[]
}

const CODE = /^[2-5x][0-9x]{2}$/
const ENHANCED = /^(?:[245x])\.(?:\d{1,3}|x)\.(?:\d{1,3}|x)$/

/** Throws an Error that lists all problems; its message continues "the file …". */
export function parseBounceRules(json: string): readonly BounceRule[] {
  return parseTable<BounceRule>(json, 'rules', findProblems)
}

function findProblems(rule: TablePart): readonly string[] {
  const problems = unknownNames(rule, ['class', 'code', 'enhanced', 'text'])
  if (typeof rule['class'] !== 'string' || rule['class'] === '') problems.push('class: must be a non-empty string')
  problems.push(
    ...findPatternProblems(rule, 'code', (code) => CODE.test(code) || 'must be three digits, x for any digit'),
  )
  problems.push(
    ...findPatternProblems(rule, 'enhanced', (code) => ENHANCED.test(code) || 'must look like 5.1.1, x for any number'),
  )
  problems.push(
    ...findPatternProblems(rule, 'text', (source) => isExpression(source) || 'is not a valid regular expression'),
  )
  if (rule['code'] === undefined && rule['enhanced'] === undefined && rule['text'] === undefined) {
    problems.push('matches everything: add code, enhanced or text')
  }
  return problems
}

function findPatternProblems(rule: TablePart, name: string, check: (pattern: string) => true | string): string[] {
  const value = rule[name]
  if (value === undefined) return []
  if (!isTextList(value)) return [`${name}: must be a string or a list of strings`]
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
