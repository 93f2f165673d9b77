/** What can follow in the search field: operators while a word is typed, values after an operator. */
import { OPERATOR_NAMES, OPERATORS, type OperatorName } from '../../../src/events/search/operators.ts'
import { type SearchTerm, splitSearch } from '../../../src/events/search/search-terms.ts'

export interface Completion {
  /** The whole search once it is chosen, and where the caret is then. */
  readonly text: string
  readonly caret: number
  /** What is shown: the term, and what it means. */
  readonly term: string
  readonly note: string
}

/** The term that the caret is at the end of; its value is what was typed so far. */
export interface CurrentTerm extends Pick<SearchTerm, 'operator' | 'value' | 'isExcluded' | 'from' | 'to'> {}

const COMPLETIONS_MAX = 8

/** Undefined inside a term: only what is being typed is completed. */
export function findCurrentTerm(text: string, caret: number): CurrentTerm | undefined {
  const { terms } = splitSearch(text.slice(0, caret))
  const last = terms.at(-1)
  const isAtEnd = caret === text.length || /\s/.test(text[caret] ?? '')
  if (!isAtEnd) return undefined
  if (last && last.to === caret) return last.isBracketed ? undefined : last
  // After `type: ` as after `type:`, and after a space a new term begins.
  if (last?.operator && last.value === '') return { ...last, to: caret }
  return { operator: undefined, value: '', isExcluded: false, from: caret, to: caret }
}

/** Operators whose name begins with the word. `isAll`: without a word too. */
export function completeOperators(
  text: string,
  term: CurrentTerm,
  { isAll, hasSending }: { readonly isAll: boolean; readonly hasSending: boolean },
): readonly Completion[] {
  const word = term.value.toLowerCase()
  if (term.operator !== undefined || (word === '' && !isAll)) return []
  return OPERATOR_NAMES.filter((name) => name.startsWith(word) && (hasSending || !OPERATORS[name].isSending)).map(
    (name) => ({
      ...replace(text, term, `${sign(term)}${name}:`),
      term: `${sign(term)}${name}:`,
      note: `${OPERATORS[name].meaning}, as ${OPERATORS[name].example}`,
    }),
  )
}

export interface KnownValue {
  readonly value: string
  readonly note?: string
}

/** Values that contain what was typed; those that begin with it first. */
export function completeValues(
  text: string,
  term: CurrentTerm & { readonly operator: OperatorName },
  values: readonly KnownValue[],
): readonly Completion[] {
  const typed = (term.value.split(',').at(-1) ?? '').toLowerCase()
  const before = term.value.slice(0, term.value.length - typed.length)
  const isBeginning = ({ value }: KnownValue) => value.toLowerCase().startsWith(typed)
  const matching = values.filter(({ value }) => value.toLowerCase().includes(typed) && value.toLowerCase() !== typed)
  return [...matching.filter(isBeginning), ...matching.filter((value) => !isBeginning(value))]
    .slice(0, COMPLETIONS_MAX)
    .map(({ value, note = '' }) => {
      const written = `${sign(term)}${term.operator}:${before}${quoted(value)}`
      return { ...replace(text, term, `${written} `), term: `${sign(term)}${term.operator}:${quoted(value)}`, note }
    })
}

function sign({ isExcluded }: CurrentTerm): string {
  return isExcluded ? '-' : ''
}

/** As the search has to be written: with quotation marks around what has spaces or commas. */
export function quoted(value: string): string {
  return /[\s,]|^["“”„<-]/.test(value) ? `"${value.replace(/["“”]/g, ' ')}"` : value
}

function replace(text: string, { from, to }: CurrentTerm, written: string): Pick<Completion, 'text' | 'caret'> {
  const after = text.slice(to)
  const isSpaced = written.endsWith(' ') && after.startsWith(' ')
  const head = text.slice(0, from) + (isSpaced ? written.trimEnd() : written)
  return { text: head + after, caret: head.length }
}
