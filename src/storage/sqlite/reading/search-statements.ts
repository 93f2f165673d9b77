/** The SQL of searches, by the shape of what is asked: written once, so that a request costs a look-up instead of a long text. */

import { DOMAIN_OF_MESSAGE, JOIN_MESSAGE, messageKey, NUMBER_OF_MESSAGE } from '../days/message-key.ts'
import type { EventSearch } from './event-search.ts'
import { eventColumns } from './event-text.ts'

/** What is walked newest first: the table itself, which is in that order for each domain, or an index. */
export type SearchIndex = 'event' | 'event_by_type' | 'event_by_code'

/** Deliveries: too common for an index to pay, see the partial index. */
export const UNINDEXED_CODE = 250

/** SQLite plans with the value of a plain `LIMIT ?` and so prepares the statement anew at every call; not with this. */
const BOUND_LIMIT = 'CAST(? AS INTEGER)'

/** Shapes differ by the sets of types that are asked for; most are never seen. */
const TEXTS_MAX = 1000

/** Of each index: the condition that it answers by itself. SQLite uses a partial index only where its condition is repeated. */
const INDEXED: Readonly<Record<SearchIndex, string>> = {
  event: 'e.domain = ?',
  event_by_type: 'e.domain = ? AND e.type = ?',
  event_by_code: `e.domain = ? AND e.response_code = ? AND e.response_code <> ${UNINDEXED_CODE}`,
}

export class SearchStatements {
  readonly #columns: string
  readonly #texts = new Map<string, string>()

  constructor(serviceMessageIdField: string) {
    this.#columns = `e.position, ${eventColumns(serviceMessageIdField)}`
  }

  /** Values: those of the text, those of the index, from, before, those of the residual, limit. */
  walk(index: SearchIndex, { residuals, shape }: EventSearch): string {
    return this.#remember(
      `${index} ${shape}`,
      () => `
      SELECT ${this.#columns}
      FROM ${eventsBy(index)} ${JOIN_MESSAGE}
      WHERE ${INDEXED[index]} AND e.position >= ? AND e.position < ? ${and(residuals[index].sql)}
      ORDER BY e.position DESC LIMIT ${BOUND_LIMIT}`,
    )
  }

  /** The position that closes a slice. Values: those of the index, from, before, rows of the slice less one. */
  endOfSlice(index: SearchIndex): string {
    return this.#remember(
      index,
      () => `
      SELECT e.position FROM ${eventsBy(index)}
      WHERE ${INDEXED[index]} AND e.position >= ? AND e.position < ?
      ORDER BY e.position DESC LIMIT 1 OFFSET ${BOUND_LIMIT}`,
    )
  }

  /**
   * Events of given messages, sorted. Values: those of the text, the numbers of the messages as a JSON array, the domain, from, before,
   * those of the residual, limit.
   */
  ofMessages({ residuals, shape }: EventSearch): string {
    return this.#remember(
      `messages ${shape}`,
      () => `
      SELECT ${this.#columns}
      FROM json_each(?) k CROSS JOIN message m ON m.key = ${messageKey('?4', 'k.value')}
      CROSS JOIN event e INDEXED BY event_of_message ON e.message = k.value
      WHERE e.domain = ?4 AND e.position >= ? AND e.position < ? ${and(residuals.event.sql)}
      ORDER BY e.position DESC LIMIT ${BOUND_LIMIT}`,
    )
  }

  /** Events of all messages of a domain, sorted. Values: those of the text, the domain, from, before, those of the residual, limit. */
  ofDomain({ residuals, shape }: EventSearch): string {
    return this.#remember(
      `domain ${shape}`,
      () => `
      SELECT ${this.#columns}
      FROM message m CROSS JOIN event e INDEXED BY event_of_message ON e.message = ${NUMBER_OF_MESSAGE}
      WHERE m.key >= ${messageKey('?3', '0')} AND m.key < ${messageKey('(?3 + 1)', '0')}
        AND e.domain = ?3 AND e.position >= ? AND e.position < ? ${and(residuals.event.sql)}
      ORDER BY e.position DESC LIMIT ${BOUND_LIMIT}`,
    )
  }

  /** Values: those of the text, the range of identities, the domain, the id. */
  byMessageId(): string {
    return this.#remember(
      'message id',
      () => `
      SELECT ${this.#columns}
      FROM message m INDEXED BY message_by_identity
      CROSS JOIN event e INDEXED BY event_of_message ON e.message = ${NUMBER_OF_MESSAGE}
      WHERE m.identity >= ? AND m.identity < ? AND ${DOMAIN_OF_MESSAGE} = ? AND m.id = ? ORDER BY e.position DESC`,
    )
  }

  #remember(shape: string, write: () => string): string {
    let text = this.#texts.get(shape)
    if (text === undefined) {
      if (this.#texts.size >= TEXTS_MAX) this.#texts.clear()
      text = write()
      this.#texts.set(shape, text)
    }
    return text
  }
}

/** SQL: `event e`, read in the order of that index. */
export function eventsBy(index: SearchIndex): string {
  return index === 'event' ? 'event e NOT INDEXED' : `event e INDEXED BY ${index}`
}

function and(condition: string): string {
  return condition === '' ? '' : `AND ${condition}`
}
