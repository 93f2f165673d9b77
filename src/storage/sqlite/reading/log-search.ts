/** A search in the terms of day files, prepared once for all days: which rows match, and what each index leaves to check. */
import type { CodeRange, LogFilters } from '../../../events/log/log-query.ts'
import type { SqlValue } from '../database/database.ts'
import { hashId } from '../days/message-identity.ts'
import { typeNumber, UNINDEXED_CODE } from '../days/stored-codes.ts'
import { textCondition } from '../text-index/text-search.ts'
import { SignatureTest } from '../text-index/text-signature.ts'

/** Walked newest first: the table itself, which is in that order for each domain, or an index. */
export type SearchIndex = 'event' | 'event_by_type' | 'event_by_code'

/** SQL over `event e` and `message m`; empty if there is nothing to check. */
export interface Condition {
  readonly sql: string
  readonly values: readonly SqlValue[]
}

export interface MessageId {
  readonly id: string
  readonly hash: number
}

export interface LogSearch {
  /** Numbers of the wanted types; undefined: all. */
  readonly types: readonly number[] | undefined
  /** Undefined if the index of codes does not have all of the wanted ones. */
  readonly codes: readonly CodeRange[] | undefined
  /** The only wanted code, if there is one and it is indexed. */
  readonly onlyCode: number | undefined
  readonly messageId: MessageId | undefined
  /** A text that may be a message id as well. */
  readonly anyId: MessageId | undefined
  /** Undefined without a text filter that is long enough. */
  readonly signature: SignatureTest | undefined
  readonly residuals: Readonly<Record<SearchIndex, Condition>>
  /** What the residuals check of the message; empty if they look at the event alone. */
  readonly ofMessage: Condition
  /** Searches with the same shape have the same SQL. */
  readonly shape: string
}

const NOTHING: Condition = { sql: '', values: [] }

export function toLogSearch(filters: LogFilters): LogSearch {
  const { types: names, codes, providers = [], classifications = [], anyText, messageId, ...texts } = filters
  const types = names?.map(typeNumber)
  // Numbers from a closed list, written out: the SQL then differs only by the set of types.
  const type = types ? { sql: `e.type IN (${types.join(', ')})`, values: [] } : NOTHING
  const code = anyOf((codes ?? []).map(codeTest))
  const members = allOf([
    anyOf(providers.map((provider) => memberTest('provider_name', provider))),
    anyOf(classifications.map((name) => memberTest('bounce_classification', name))),
  ])
  const text = allOf([anyText === undefined ? NOTHING : anyTextTest(anyText), textCondition(texts)])
  const ofMessage = messageId === undefined ? text : allOf([idTest(messageId), text])
  const onlyCode = findOnlyCode(codes)
  const residuals = {
    event: allOf([type, code, members, ofMessage]),
    event_by_type: allOf([code, members, ofMessage]),
    event_by_code: allOf([type, onlyCode === undefined ? code : NOTHING, members, ofMessage]),
  }
  return {
    types,
    codes: codes?.some(({ from, to }) => from <= UNINDEXED_CODE && to >= UNINDEXED_CODE) ? undefined : codes,
    onlyCode,
    messageId: messageId === undefined ? undefined : toMessageId(messageId),
    anyId: anyText === undefined ? undefined : toMessageId(anyText),
    signature: text.sql === '' ? undefined : SignatureTest.of(texts, anyText),
    residuals,
    ofMessage,
    shape: residuals.event.sql,
  }
}

function toMessageId(id: string): MessageId {
  return { id, hash: hashId(id) }
}

function findOnlyCode(codes: readonly CodeRange[] | undefined): number | undefined {
  const [first, ...others] = codes ?? []
  if (!first || others.length > 0 || first.from !== first.to) return undefined
  return first.from === UNINDEXED_CODE ? undefined : first.from
}

function codeTest({ from, to }: CodeRange): Condition {
  if (from === to) return { sql: 'e.response_code = ?', values: [from] }
  return { sql: 'e.response_code BETWEEN ? AND ?', values: [from, to] }
}

function anyTextTest(text: string): Condition {
  const fields = [{ recipient: text }, { sender: text }, { from: text }, { subject: text }]
  return anyOf([...fields.map(textCondition), idTest(text)])
}

function idTest(id: string): Condition {
  return { sql: 'm.id = ?', values: [id] }
}

/**
 * Members are JSON as JSON.stringify writes it, each with a comma before it. Inside a value every quotation mark is escaped,
 * so this text occurs only as a member, never inside a value.
 */
function memberTest(name: string, value: string): Condition {
  const text = `,${JSON.stringify(name)}:${JSON.stringify(value)}`
  return { sql: 'instr((SELECT members FROM circumstance WHERE key = e.circumstance), ?) > 0', values: [text] }
}

function allOf(conditions: readonly Condition[]): Condition {
  return join(conditions, ' AND ')
}

function anyOf(conditions: readonly Condition[]): Condition {
  const joined = join(conditions, ' OR ')
  return conditions.length < 2 ? joined : { ...joined, sql: `(${joined.sql})` }
}

function join(conditions: readonly Condition[], word: string): Condition {
  const given = conditions.filter(({ sql }) => sql !== '')
  if (given.length < 2) return given[0] ?? NOTHING
  return { sql: given.map(({ sql }) => sql).join(word), values: given.flatMap(({ values }) => values) }
}
