/**
 * How common each trigram is among a day's messages, estimated from some of them. A search for a rare text asks the index
 * only for the rarest trigrams of it: the lists of common ones are long, take long to read and exclude next to nothing.
 */
import type { Database } from '../database.ts'
import { countMessages, messageKey } from './message-key.ts'
import { SELECT_INDEXED_TEXT } from './text-search.ts'

const MESSAGES_SAMPLED = 256
/** What a trigram that no sampled message has is taken for: most occur now and then. */
const UNSEEN = 0.5
/** A day that has grown by this factor since is sampled again. */
const GROWTH = 4

/** Keys of messages spread evenly over the day: numbers are given out in order of arrival. */
const LIST_SAMPLED = `
  SELECT ${messageKey('(SELECT domain FROM event INDEXED BY event_of_message WHERE message = number LIMIT 1)', 'number')}
  FROM (SELECT DISTINCT 1 + value * ? / ${MESSAGES_SAMPLED} AS number FROM json_each(?))`

const PLACES = JSON.stringify(Array.from({ length: MESSAGES_SAMPLED }, (_, place) => place))

export class TrigramSample {
  readonly #db: Database
  #counts = new Map<string, number>()
  #messages = 0
  #eventsWhenDrawn = 0

  constructor(db: Database) {
    this.#db = db
  }

  /** To be called with the number of the day's events before anything is asked. */
  drawWhenGrown(events: number): void {
    if (events < this.#eventsWhenDrawn * GROWTH) return
    this.#eventsWhenDrawn = Math.max(1, events)
    this.#messages = countMessages(this.#db)
    this.#counts = new Map()
    const keys = this.#db.allArrays<[number | null]>(LIST_SAMPLED, this.#messages, PLACES).flat()
    for (const { text } of this.#db.all<{ text: string }>(SELECT_INDEXED_TEXT, JSON.stringify(keys))) {
      for (const trigram of new Set(toTrigrams(text))) this.#counts.set(trigram, (this.#counts.get(trigram) ?? 0) + 1)
    }
  }

  /** The rarest first, at most so many; among equally rare ones those that lie far apart in the text. */
  rarest(trigrams: readonly string[], most: number): readonly string[] {
    const counted = trigrams.map((trigram) => ({ trigram, count: this.#counts.get(trigram) ?? 0 }))
    counted.sort((a, b) => a.count - b.count)
    const unseen = counted.filter(({ count }) => count === 0)
    const pool = unseen.length > most ? spread(unseen, most) : counted.slice(0, most)
    return pool.map(({ trigram }) => trigram)
  }

  /** At most this share of the messages has all of the trigrams; 0 stands for too few to be in the sample. */
  share(trigrams: readonly string[]): number {
    return Math.min(...trigrams.map((trigram) => this.#counts.get(trigram) ?? 0)) / MESSAGES_SAMPLED
  }

  /** The share of the messages that have the trigram; for one that is not in the sample, a guess. */
  estimate(trigram: string): number {
    return (this.#counts.get(trigram) ?? UNSEEN) / MESSAGES_SAMPLED
  }

  /** Events of the day when the sample was drawn. */
  get events(): number {
    return this.#eventsWhenDrawn
  }

  /** Messages of the day when the sample was drawn. */
  get messages(): number {
    return this.#messages
  }
}

export function toTrigrams(text: string): string[] {
  const characters = Array.from(text)
  return characters.slice(2).map((last, at) => `${characters[at]}${characters[at + 1]}${last}`)
}

function spread<T>(items: readonly T[], most: number): readonly T[] {
  return items.filter(
    (_, place) => Math.floor((place * most) / items.length) !== Math.floor(((place - 1) * most) / items.length),
  )
}
