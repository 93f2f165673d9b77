/** What is asked of an event, as SQL over `event e` and `message m`. */
import type { LogConditions } from '../../../events/log-query.ts'
import type { SqlValue } from '../database/database.ts'
import { textCondition } from '../text-index/text-search.ts'
import { typeNumber } from '../writing/event-row.ts'

export interface SqlCondition {
  /** Empty where nothing is asked. */
  readonly sql: string
  readonly values: readonly SqlValue[]
  /** Whether it looks at more than the event itself. */
  readonly needsMessage: boolean
}

type Test = Pick<SqlCondition, 'sql' | 'values'>

/** `isTypeIndexed`: the types are those of an index already. */
export function logCondition(conditions: LogConditions, { isTypeIndexed = false } = {}): SqlCondition {
  const { types, codes = [], providers = [], classifications = [], anyText, messageId, ...texts } = conditions
  const ofEvent = every([
    isTypeIndexed || !types ? NOTHING : { sql: `e.type IN (${types.map(typeNumber).join(', ')})`, values: [] },
    some(codes.map(({ from, to }) => ({ sql: 'e.response_code BETWEEN ? AND ?', values: [from, to] }))),
    some(providers.map((provider) => memberTest('provider_name', provider))),
    some(classifications.map((name) => memberTest('bounce_classification', name))),
  ])
  const ofMessage = every([
    messageId === undefined ? NOTHING : isMessage(messageId),
    anyText === undefined ? NOTHING : anyTextTest(anyText),
    textCondition(texts),
  ])
  return { ...every([ofEvent, ofMessage]), needsMessage: ofMessage.sql !== '' }
}

const NOTHING: Test = { sql: '', values: [] }

function anyTextTest(text: string): Test {
  const fields = [{ recipient: text }, { sender: text }, { from: text }, { subject: text }]
  return some([...fields.map(textCondition), isMessage(text)])
}

function isMessage(id: string): Test {
  return { sql: 'm.id = ?', values: [id] }
}

/**
 * Members are JSON as JSON.stringify writes it, each with a comma before it. Inside of a value every quotation mark has a
 * backslash before it, so that this text occurs where it is a member and nowhere else.
 */
function memberTest(name: string, value: string): Test {
  const text = `,${JSON.stringify(name)}:${JSON.stringify(value)}`
  return { sql: 'instr((SELECT members FROM circumstance WHERE key = e.circumstance), ?) > 0', values: [text] }
}

function every(conditions: readonly Test[]): Test {
  return join(conditions, ' AND ')
}

function some(conditions: readonly Test[]): Test {
  const joined = join(conditions, ' OR ')
  return joined.sql === '' ? joined : { ...joined, sql: `(${joined.sql})` }
}

function join(conditions: readonly Test[], word: string): Test {
  const given = conditions.filter(({ sql }) => sql !== '')
  return { sql: given.map(({ sql }) => sql).join(word), values: given.flatMap(({ values }) => values) }
}
