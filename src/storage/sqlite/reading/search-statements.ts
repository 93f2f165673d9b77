/** The SQL of searches, by the shape of the search: written once, so that a request costs a look-up instead of a long text. */
import type { ShownFields } from '../../../events/log/log-query.ts'
import { Recent } from '../../../lib/recent.ts'
import type { SqlValue } from '../database/database.ts'
import { DOMAIN_OF_MESSAGE, JOIN_MESSAGE, messageKey, NUMBER_OF_MESSAGE } from '../days/message-key.ts'
import { CODES, UNINDEXED_CODE } from '../days/stored-codes.ts'
import { eventColumns } from './event-text.ts'
import type { LogSearch, SearchIndex } from './log-search.ts'

/** SQLite plans with the value of a plain `LIMIT ?` and so prepares the statement again at every call; not with this. */
const BOUND_LIMIT = 'CAST(? AS INTEGER)'

/** Shapes differ by the set of types; most never occur. */
const SHAPES_MAX = 1000

/** The condition that each index answers. SQLite uses a partial index only if the query repeats its condition. */
const INDEXED: Readonly<Record<SearchIndex, string>> = {
  event: 'e.domain = ?',
  event_by_type: 'e.domain = ? AND e.type = ?',
  event_by_code: `e.domain = ? AND e.response_code = ? AND e.response_code <> ${UNINDEXED_CODE}`,
}

/** The index to read for each stretch, and the keys to read in it; only keys that the day has. */
export type StretchDriver =
  | { readonly index: 'event'; readonly domains: readonly number[] }
  | { readonly index: 'event_by_type'; readonly domains: readonly number[]; readonly types: readonly number[] }
  /** Domains times CODES plus code. */
  | { readonly index: 'event_by_code'; readonly codes: readonly number[] }

const STRETCHES: Readonly<Record<SearchIndex, { readonly from: string; readonly where: string }>> = {
  event: { from: 'json_each(?) d', where: 'e.domain = d.value' },
  event_by_type: {
    from: 'json_each(?) d CROSS JOIN json_each(?) t',
    where: 'e.domain = d.value AND e.type = t.value',
  },
  event_by_code: {
    from: 'json_each(?) k',
    where: `e.domain = k.value / ${CODES} AND e.response_code = k.value % ${CODES}
      AND e.response_code <> ${UNINDEXED_CODE}`,
  },
}

/** The values of a driver, in the order in which its statements take them. */
export function valuesOf(driver: StretchDriver): readonly SqlValue[] {
  switch (driver.index) {
    case 'event':
      return [JSON.stringify(driver.domains)]
    case 'event_by_type':
      return [JSON.stringify(driver.domains), JSON.stringify(driver.types)]
    case 'event_by_code':
      return [JSON.stringify(driver.codes)]
  }
}

/**
 * Statements that return events begin with the two values of the text: the day's start, and the domain's name as JSON. Those
 * over many domains return the domain's number as well.
 */
export class SearchStatements {
  readonly #serviceMessageIdField: string
  /** By the shape of the search, then by the kind of the statement. */
  readonly #texts = new Recent<Map<string, string>>(SHAPES_MAX)

  constructor(serviceMessageIdField: string) {
    this.#serviceMessageIdField = serviceMessageIdField
  }

  /** Values: those of the text, those of the index, from, before, those of the residual, limit. */
  walk(index: SearchIndex, { residuals, shape, shown }: LogSearch): string {
    return this.#remember(
      shape,
      index,
      () => `
      SELECT ${this.#columns(shown)}
      FROM ${eventsBy(index)} ${JOIN_MESSAGE}
      WHERE ${INDEXED[index]} AND e.position >= ? AND e.position < ? ${and(residuals[index].sql)}
      ORDER BY e.position DESC LIMIT ${BOUND_LIMIT}`,
    )
  }

  /** The position that closes a slice. Values: those of the index, from, before, rows of the slice less one. */
  endOfSlice(index: SearchIndex): string {
    return this.#remember(
      '',
      `end ${index}`,
      () => `
      SELECT e.position FROM ${eventsBy(index)}
      WHERE ${INDEXED[index]} AND e.position >= ? AND e.position < ?
      ORDER BY e.position DESC LIMIT 1 OFFSET ${BOUND_LIMIT}`,
    )
  }

  /**
   * Events of given messages, sorted. Values: those of the text, the numbers of the messages as a JSON array, the domain, from,
   * before, those of the residual, limit.
   */
  ofMessages({ residuals, shape, shown }: LogSearch): string {
    return this.#remember(
      shape,
      'messages',
      () => `
      SELECT ${this.#columns(shown)}
      FROM json_each(?) k CROSS JOIN message m ON m.key = ${messageKey('?4', 'k.value')}
      CROSS JOIN event e INDEXED BY event_of_message ON e.message = k.value
      WHERE e.domain = ?4 AND e.position >= ? AND e.position < ? ${and(residuals.event.sql)}
      ORDER BY e.position DESC LIMIT ${BOUND_LIMIT}`,
    )
  }

  /** The same over many domains. Values: those of the text, the messages and the domains as JSON arrays, then as above. */
  ofMessagesOfMany({ residuals, shape, shown }: LogSearch): string {
    return this.#remember(
      shape,
      'messages of many',
      () => `
      SELECT ${this.#columnsOfMany(shown)}
      FROM (SELECT e.position AS found
        FROM json_each(?) k CROSS JOIN event e INDEXED BY event_of_message ON e.message = k.value ${JOIN_MESSAGE}
        WHERE e.domain IN (SELECT value FROM json_each(?)) AND e.position >= ? AND e.position < ?
          ${and(residuals.event.sql)}
        ORDER BY e.position DESC LIMIT ${BOUND_LIMIT})
      CROSS JOIN event e ON e.position = found ${JOIN_MESSAGE}`,
    )
  }

  /** Events of all messages of a domain, sorted. Values: those of the text, the domain, from, before, those of the residual, limit. */
  ofDomain({ residuals, shape, shown }: LogSearch): string {
    return this.#remember(
      shape,
      'domain',
      () => `
      SELECT ${this.#columns(shown)}
      FROM message m CROSS JOIN event e INDEXED BY event_of_message ON e.message = ${NUMBER_OF_MESSAGE}
      WHERE m.key >= ${messageKey('?3', '0')} AND m.key < ${messageKey('(?3 + 1)', '0')}
        AND e.domain = ?3 AND e.position >= ? AND e.position < ? ${and(residuals.event.sql)}
      ORDER BY e.position DESC LIMIT ${BOUND_LIMIT}`,
    )
  }

  /**
   * Events with one message id, unordered; none if too many messages would have to be examined. Values: those of the text,
   * the range of identities, how many are too many, the domain, from, before, those of the residual, limit.
   */
  ofMessageId({ residuals, shape, shown }: LogSearch): string {
    return this.#remember(
      shape,
      'message id',
      () => `
      SELECT ${this.#columns(shown)}
      FROM (SELECT count(*) AS examined FROM (SELECT 1 FROM message INDEXED BY message_by_identity
        WHERE identity >= ?3 AND identity < ?4 LIMIT CAST(?5 AS INTEGER)))
      CROSS JOIN message m INDEXED BY message_by_identity
      CROSS JOIN event e INDEXED BY event_of_message ON e.message = ${NUMBER_OF_MESSAGE}
      WHERE examined < ?5 AND m.identity >= ?3 AND m.identity < ?4 AND ${DOMAIN_OF_MESSAGE} = ? AND e.position >= ? AND e.position < ?
        ${and(residuals.event.sql)}
      LIMIT ${BOUND_LIMIT}`,
    )
  }

  /** All events of the day, by time. Values: those of the text, from, before, the domains as a JSON array, those of the residual, limit. */
  walkMany({ residuals, shape, shown }: LogSearch): string {
    return this.#remember(
      shape,
      'many',
      () => `
      SELECT ${this.#columnsOfMany(shown)}
      FROM event e INDEXED BY event_by_position ${JOIN_MESSAGE}
      WHERE e.position >= ? AND e.position < ? AND e.domain IN (SELECT value FROM json_each(?))
        ${and(residuals.event.sql)}
      ORDER BY e.position DESC LIMIT ${BOUND_LIMIT}`,
    )
  }

  /** The number of events in a stretch, up to a maximum. Values: those of the driver, from, before, that maximum. */
  countStretch(index: SearchIndex): string {
    return this.#remember(
      '',
      `count ${index}`,
      () => `SELECT count(*) AS count FROM (SELECT 1 ${stretch(index, '')} LIMIT ${BOUND_LIMIT})`,
    )
  }

  /**
   * The inner query sorts positions alone, and only the texts that are returned are written. Values: those of the text, those
   * of the driver, from, before, those of the residual, limit.
   */
  listStretch(index: SearchIndex, { residuals, ofMessage, shape, shown }: LogSearch): string {
    return this.#remember(
      shape,
      `stretch ${index}`,
      () => `
      SELECT ${this.#columnsOfMany(shown)}
      FROM (SELECT e.position AS found ${stretch(index, ofMessage.sql === '' ? '' : JOIN_MESSAGE)} ${and(residuals[index].sql)}
        ORDER BY e.position DESC LIMIT ${BOUND_LIMIT})
      CROSS JOIN event e ON e.position = found ${JOIN_MESSAGE}`,
    )
  }

  /** Those of the events at given positions that match, unordered. Values: those of the text, the positions as a JSON array, those of the residual. */
  at({ residuals, shape, shown }: LogSearch): string {
    return this.#remember(
      shape,
      'at',
      () => `
      SELECT ${this.#columnsOfMany(shown)}
      FROM json_each(?) p CROSS JOIN event e ON e.position = p.value ${JOIN_MESSAGE}
      WHERE TRUE ${and(residuals.event.sql)}`,
    )
  }

  #columns(shown: ShownFields): string {
    return `e.position, ${eventColumns(this.#serviceMessageIdField, shown)}`
  }

  #columnsOfMany(shown: ShownFields): string {
    return `e.position, e.domain, ${eventColumns(this.#serviceMessageIdField, shown)}`
  }

  /** Two look-ups instead of one with a longer key: hashing a newly concatenated string takes noticeable time. */
  #remember(shape: string, kind: string, write: () => string): string {
    const ofShape = this.#texts.findOrKeep(shape, () => new Map())
    let text = ofShape.get(kind)
    if (text === undefined) {
      text = write()
      ofShape.set(kind, text)
    }
    return text
  }
}

/** SQL: `event e`, read in the order of that index. */
function eventsBy(index: SearchIndex): string {
  return index === 'event' ? 'event e NOT INDEXED' : `event e INDEXED BY ${index}`
}

function stretch(index: SearchIndex, tables: string): string {
  const { from, where } = STRETCHES[index]
  return `FROM ${from} CROSS JOIN ${eventsBy(index)} ${tables} WHERE ${where} AND e.position >= ? AND e.position < ?`
}

function and(condition: string): string {
  return condition === '' ? '' : `AND ${condition}`
}
