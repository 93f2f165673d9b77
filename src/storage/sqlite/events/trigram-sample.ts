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
  FROM (SELECT DISTINCT 1 + value * CAST(? AS INTEGER) / ${MESSAGES_SAMPLED} AS number FROM json_each(?))`

const PLACES = JSON.stringify(Array.from({ length: MESSAGES_SAMPLED }, (_, place) => place))

export interface SampledTrigram {
  readonly trigram: string
  /** Which of the sampled messages have it, in order. */
  readonly places: readonly number[]
}

const NOWHERE: readonly number[] = []

export class TrigramSample {
  readonly #db: Database
  /** The sampled messages that have a trigram, in order. */
  #places = new Map<string, number[]>()
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
    this.#places = new Map()
    const keys = this.#db.allArrays<[number | null]>(LIST_SAMPLED, this.#messages, PLACES).flat()
    const rows = this.#db.all<{ text: string }>(SELECT_INDEXED_TEXT, JSON.stringify(keys))
    for (const [place, { text }] of rows.entries()) this.#add(place, text)
  }

  /** The rarest first, at most so many; among those that no sampled message has, some that lie far apart in the text. */
  rarest(trigrams: readonly string[], most: number): readonly SampledTrigram[] {
    const sampled = trigrams.map((trigram) => ({ trigram, places: this.#places.get(trigram) ?? NOWHERE }))
    const unseen = sampled.filter(({ places }) => places === NOWHERE)
    if (unseen.length > most) return spread(unseen, most)
    return sampled.sort((a, b) => a.places.length - b.places.length).slice(0, most)
  }

  /** Sampled messages that have all of the trigrams. */
  countWithAll([first, ...others]: readonly SampledTrigram[]): number {
    let count = 0
    for (const place of first?.places ?? NOWHERE) if (others.every(({ places }) => places.includes(place))) count++
    return count
  }

  /**
   * The share of messages that have all of the trigrams. Where no sampled message has, it lies between what it would be if each
   * trigram fell by itself and what the sample would hardly have missed.
   */
  shareWithAll(trigrams: readonly SampledTrigram[]): number {
    const found = this.countWithAll(trigrams)
    if (found > 0) return found / MESSAGES_SAMPLED
    const unseen = UNSEEN / MESSAGES_SAMPLED
    if (trigrams.length === 1) return unseen
    return Math.sqrt(trigrams.reduce((product, trigram) => product * this.shareWithAll([trigram]), unseen))
  }

  /** Events of the day when the sample was drawn. */
  get events(): number {
    return this.#eventsWhenDrawn
  }

  /** Messages of the day when the sample was drawn. */
  get messages(): number {
    return this.#messages
  }

  get size(): number {
    return MESSAGES_SAMPLED
  }

  #add(place: number, text: string): void {
    for (const trigram of toTrigrams(text)) {
      const places = this.#places.get(trigram)
      if (!places) this.#places.set(trigram, [place])
      else if (places.at(-1) !== place) places.push(place)
    }
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
