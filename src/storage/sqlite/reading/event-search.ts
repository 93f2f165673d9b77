/** What is asked of every day alike, worked out once: which rows match, and what each index leaves to be checked on them. */
import type { EventType } from '../../../events/event.ts'
import type { SqlValue } from '../database/database.ts'
import { type TextFilters, textCondition } from '../text-index/text-search.ts'
import { SignatureTest } from '../text-index/text-signature.ts'
import { typeNumber } from '../writing/event-row.ts'
import type { SearchIndex } from './search-statements.ts'

export interface SearchFilters extends TextFilters {
  readonly types?: readonly EventType[]
  readonly responseCode?: number
}

export interface Condition {
  readonly sql: string
  readonly values: readonly SqlValue[]
}

export interface EventSearch {
  /** Numbers of the types that are asked for; undefined: all. */
  readonly types: readonly number[] | undefined
  readonly responseCode: number | undefined
  /** Undefined where no text is asked for, or none that is long enough. */
  readonly signature: SignatureTest | undefined
  readonly residuals: Readonly<Record<SearchIndex, Condition>>
  /** Searches with the same shape have the same SQL. */
  readonly shape: string
}

const NOTHING: Condition = { sql: '', values: [] }

export function toEventSearch(filters: SearchFilters): EventSearch {
  const types = filters.types?.map(typeNumber)
  // Numbers from a closed list, written out: the text then differs only by which types are asked for.
  const type = types ? { sql: `e.type IN (${types.join(', ')})`, values: [] } : NOTHING
  const { responseCode } = filters
  const code = responseCode === undefined ? NOTHING : { sql: 'e.response_code = ?', values: [responseCode] }
  const text = textCondition(filters)
  const residuals = {
    event: all(type, code, text),
    event_by_type: all(code, text),
    event_by_code: all(type, text),
  }
  return {
    types,
    responseCode,
    signature: text.sql === '' ? undefined : SignatureTest.of(filters),
    residuals,
    shape: residuals.event.sql,
  }
}

function all(...conditions: readonly Condition[]): Condition {
  const given = conditions.filter((condition) => condition.sql !== '')
  if (given.length < 2) return given[0] ?? NOTHING
  return {
    sql: given.map((condition) => condition.sql).join(' AND '),
    values: given.flatMap((condition) => condition.values),
  }
}
