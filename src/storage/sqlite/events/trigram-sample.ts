/**
 * How common each trigram is among a day's messages, estimated from some of them. A search for a rare text asks the index
 * only for the rarest trigrams of it: the lists of common ones are long, take long to read and exclude next to nothing.
 */
import type { Database } from '../database.ts'
import { countMessages, messageKey } from './message-key.ts'
import { SELECT_INDEXED_TEXT } from './text-search.ts'

/** A byte numbers them. */
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
  readonly hash: number
  /** Sampled messages that have it. */
  readonly count: number
}

export class TrigramSample {
  readonly #db: Database
  /** Hash of a trigram << 8 | place of a sampled message that has it, in order. A map would take twenty times the memory. */
  #entries = new Uint32Array()
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
    const keys = this.#db.allArrays<[number | null]>(LIST_SAMPLED, this.#messages, PLACES).flat()
    const rows = this.#db.all<{ text: string }>(SELECT_INDEXED_TEXT, JSON.stringify(keys))
    const entries = rows.map(({ text }, place) => toTrigrams(text).map((trigram) => toEntry(hashOf(trigram), place)))
    this.#entries = Uint32Array.from(new Set(entries.flat())).sort()
  }

  /** The rarest first, at most so many; among those that no sampled message has, some that lie far apart in the text. */
  rarest(trigrams: readonly string[], most: number): readonly SampledTrigram[] {
    const sampled = trigrams.map((trigram) => this.#look(trigram))
    const unseen = sampled.filter(({ count }) => count === 0)
    if (unseen.length > most) return spread(unseen, most)
    return sampled.sort((a, b) => a.count - b.count).slice(0, most)
  }

  /** Sampled messages that have all of the trigrams. */
  countWithAll([first, ...others]: readonly SampledTrigram[]): number {
    if (!first || others.length === 0) return first?.count ?? 0
    const start = this.#lowerBound(toEntry(first.hash, 0))
    let count = 0
    for (const entry of this.#entries.subarray(start, start + first.count)) {
      if (others.every(({ hash }) => this.#has(toEntry(hash, entry % MESSAGES_SAMPLED)))) count++
    }
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
    return Math.sqrt(trigrams.reduce((product, { count }) => product * (count / MESSAGES_SAMPLED || unseen), unseen))
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

  #look(trigram: string): SampledTrigram {
    const hash = hashOf(trigram)
    const count = this.#lowerBound(toEntry(hash + 1, 0)) - this.#lowerBound(toEntry(hash, 0))
    return { trigram, hash, count }
  }

  #has(entry: number): boolean {
    return this.#entries[this.#lowerBound(entry)] === entry
  }

  /** The place of the first entry that is not less. */
  #lowerBound(entry: number): number {
    let low = 0
    let high = this.#entries.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#entries[middle] ?? 0) < entry) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** 24 bits, but for the last: the one behind it has to be a number of 32 bits, too. */
function hashOf(trigram: string): number {
  let hash = 0
  for (let at = 0; at < trigram.length; at++) hash = Math.imul(hash ^ trigram.charCodeAt(at), 0x9e_37_79_b1)
  return Math.min(hash >>> 8, 0xff_ff_fe)
}

function toEntry(hash: number, place: number): number {
  return hash * MESSAGES_SAMPLED + place
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
