/** A search in the terms of day files, prepared once for all days: which rows match, and what each index leaves to check. */
import { EVENT_TYPES } from '../../../events/event.ts'
import type { CodeRange, LogExclusions, LogFilters, ShownFields, TextFilter } from '../../../events/log/log-query.ts'
import { lowerAscii } from '../../../lib/text/case-folding.ts'
import type { SqlValue } from '../database/database.ts'
import { hashId } from '../days/message-identity.ts'
import { typeNumber, UNINDEXED_CODE } from '../days/stored-codes.ts'
import { SEARCHED_FIELDS, textTests } from '../text-index/text-search.ts'
import { SignatureTest } from '../text-index/text-signature.ts'
import { replyTest } from './reply-search.ts'

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
  /** Texts that may be a message id as well. */
  readonly anyIds: readonly MessageId[]
  /** Undefined without a text filter that is long enough. */
  readonly signature: SignatureTest | undefined
  readonly residuals: Readonly<Record<SearchIndex, Condition>>
  /** One of these addresses; undefined: any, or none. */
  readonly addresses: readonly string[] | undefined
  /** What the residuals check of the message; empty if they look at the event alone. */
  readonly ofMessage: Condition
  readonly shown: ShownFields
  /** Searches with the same shape have the same SQL. */
  readonly shape: string
}

type OriginFilters = Pick<LogFilters, 'sendingAddresses' | 'sendingSources' | 'sendingPools'>

const NOTHING: Condition = { sql: '', values: [] }

export function toLogSearch(filters: LogFilters, shown: ShownFields = 'interface'): LogSearch {
  const { codes, providers = [], classifications = [], messageId, answers = [], replies = [], without = {} } = filters
  const { sendingAddresses } = filters
  const types = wantedTypes(filters.types, without.types)?.map(typeNumber)
  // Numbers from a closed list, written out: the SQL then differs only by the set of types.
  const type = types ? { sql: `e.type IN (${types.join(', ')})`, values: [] } : NOTHING
  const code = anyOf((codes ?? []).map(codeTest))
  const members = allOf([
    anyOf(providers.map((provider) => memberTest('provider_name', provider))),
    anyOf(classifications.map((name) => memberTest('bounce_classification', name))),
    ...originTests(filters),
    ...answers.map(answerTest),
    anyOf(replies.map(replyTest)),
    ...exclusions(without),
  ])
  const texts = listTexts(filters)
  const text = allOf([...texts.map(textTest), ...(without.texts ?? []).map((unwanted) => not(textTest(unwanted)))])
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
    anyIds: texts.flatMap(({ ids = [] }) => ids.map(toMessageId)),
    signature: SignatureTest.of(texts),
    residuals,
    addresses: sendingAddresses,
    ofMessage,
    shown,
    // The index of a single code leaves nothing of it to check.
    shape: `${shown} ${typeof onlyCode} ${residuals.event.sql}`,
  }
}

function wantedTypes(wanted: LogFilters['types'], unwanted: LogExclusions['types']): LogFilters['types'] {
  return unwanted ? (wanted ?? EVENT_TYPES).filter((type) => !unwanted.includes(type)) : wanted
}

/** All texts that have to occur, the longest first: it is the rarest, and the others are compared with what is left. */
function listTexts({ anyText, texts = [], ...named }: LogFilters): readonly TextFilter[] {
  const any = anyText === undefined ? [] : [{ text: anyText, fields: SEARCHED_FIELDS, ids: [anyText] }]
  const ofFields = SEARCHED_FIELDS.flatMap((field) => {
    const text = named[field]
    return text === undefined ? [] : [{ text, fields: [field] }]
  })
  return [...any, ...texts, ...ofFields].sort((a, b) => b.text.length - a.text.length)
}

/** Of the event alone; unwanted types are not among the wanted ones, and texts are those of the message. */
function exclusions(without: LogExclusions): readonly Condition[] {
  const { codes = [], providers = [], classifications = [], answers = [], replies = [] } = without
  return [
    ...codes.map(codeTest),
    ...providers.map((provider) => memberTest('provider_name', provider)),
    ...classifications.map((name) => memberTest('bounce_classification', name)),
    ...originTests(without),
    ...answers.map(answerTest),
    ...replies.map(replyTest),
  ].map(not)
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
  return { sql: 'e.response_code BETWEEN ? AND ?', values: [from, to] }
}

function textTest(filter: TextFilter): Condition {
  return anyOf(textTests(filter))
}

/** The text is stored as it is between the quotation marks of JSON; `lower` knows ASCII alone. */
function answerTest(answer: string): Condition {
  const content = `iif(instr(e.content, '\\'), json_extract(concat('"', e.content, '"'), '$'), e.content)`
  return { sql: `instr(lower(${content}), ?) > 0`, values: [lowerAscii(answer)] }
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

/** A look-up for each examined event: there may be very many origins. */
function originTests({ sendingAddresses, sendingSources, sendingPools }: OriginFilters): readonly Condition[] {
  const wanted = { address: sendingAddresses, source: sendingSources, pool: sendingPools }
  return Object.entries(wanted).flatMap(([column, values]) => {
    if (!values) return []
    const places = values.map(() => '?').join(', ')
    return [{ sql: `(SELECT ${column} FROM origin WHERE key = e.origin) IN (${places})`, values }]
  })
}

/** What is missing is not excluded. */
function not(condition: Condition): Condition {
  return { ...condition, sql: `(${condition.sql}) IS NOT TRUE` }
}

function allOf(conditions: readonly Condition[]): Condition {
  return join(conditions, ' AND ')
}

function anyOf(conditions: readonly Condition[]): Condition {
  const joined = join(conditions, ' OR ')
  return joined.sql === '' ? joined : { ...joined, sql: `(${joined.sql})` }
}

function join(conditions: readonly Condition[], word: string): Condition {
  const given = conditions.filter(({ sql }) => sql !== '')
  return { sql: given.map(({ sql }) => sql).join(word), values: given.flatMap(({ values }) => values) }
}
