/**
 * Whether a day may have a message with an id: a Bloom filter in memory, so that a search for a message reads the one or two
 * days that have it and not every one.
 */
import type { Database } from '../database/database.ts'
import { idHashOf } from './message-identity.ts'

/** With six bits an id, about one in a hundred absent ids is taken for present. */
const MARKS = 6
const BITS_PER_ID = 12
/** Rows of equal identity set the same bits, so that none is missed between two parts. */
const IDENTITIES_AT_ONCE = 5000
const LIST_IDENTITIES = `
  SELECT identity FROM message INDEXED BY message_by_identity WHERE identity > ? ORDER BY identity LIMIT ${IDENTITIES_AT_ONCE}`
const GOLDEN = 0x9e_37_79_b1

export class MessageIds {
  readonly #bits: Uint32Array
  /** Maps a 32-bit number to a bit; a division would take longer than everything else. */
  readonly #scale: number
  readonly #room: number
  #ids: number

  /** `messages`: how many the day has now; there is room for twice as many. */
  constructor(messages: number) {
    this.#room = messages * 2 + 1000
    this.#ids = 0
    this.#bits = new Uint32Array(Math.ceil((this.#room * BITS_PER_ID) / 32))
    this.#scale = (this.#bits.length * 32) / 2 ** 32
  }

  /** Adds the ids of the day in parts; yields after each. Later commits must be added separately. */
  *load(db: Database): Generator<undefined> {
    for (let last = -1; ; ) {
      const found = db.allArrays<[number]>(LIST_IDENTITIES, last)
      for (const [identity] of found) this.#add(idHashOf(identity))
      if (found.length < IDENTITIES_AT_ONCE) return
      last = found.at(-1)?.[0] ?? last
      yield
    }
  }

  mayHave(idHash: number): boolean {
    for (let mark = 1; mark <= MARKS; mark++) {
      const bit = this.#bitOf(idHash, mark)
      if (((this.#bits[bit >>> 5] ?? 0) & (1 << (bit & 31))) === 0) return false
    }
    return true
  }

  /** False when the filter is too small for them. */
  learn(idHashes: readonly number[]): boolean {
    for (const hash of idHashes) this.#add(hash)
    return this.#ids <= this.#room
  }

  #add(idHash: number): void {
    for (let mark = 1; mark <= MARKS; mark++) {
      const bit = this.#bitOf(idHash, mark)
      this.#bits[bit >>> 5] = (this.#bits[bit >>> 5] ?? 0) | (1 << (bit & 31))
    }
    this.#ids++
  }

  #bitOf(idHash: number, mark: number): number {
    let mixed = Math.imul(idHash + 1, GOLDEN) ^ Math.imul(mark, 0x85_eb_ca_6b)
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0xc2_b2_ae_35)
    mixed = Math.imul(mixed ^ (mixed >>> 13), GOLDEN)
    return Math.floor(((mixed ^ (mixed >>> 16)) >>> 0) * this.#scale)
  }
}
