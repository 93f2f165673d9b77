/**
 * Signatures of messages: a small Bloom filter per searchable field, in which every trigram sets one bit. A field can have a
 * text only if all bits of that text are set, which is known without reading the message. Some have them all by chance;
 * the texts themselves decide.
 */
import type { TextFilter } from '../../../events/log/log-query.ts'
import { foldCase } from '../../../lib/text/case-folding.ts'
import { SEARCHED_FIELDS, type SearchedField } from './text-search.ts'

/**
 * The length of each field's signature in 32-bit words, and the share of bits that an ordinary text sets. Recipients are
 * searched for most, and by short texts; the From of a domain's messages is mostly the same.
 */
const FIELDS: Readonly<Record<SearchedField, { readonly words: number; readonly fill: number }>> = {
  recipient: { words: 4, fill: 0.17 },
  sender: { words: 4, fill: 0.2 },
  from: { words: 1, fill: 0.7 },
  subject: { words: 4, fill: 0.22 },
}

/** For short texts, which may be anywhere. */
const CHANCE_MAX = 0.99

/** `null` for a field that is missing. */
export type SearchedTexts = Readonly<Record<SearchedField, string | null>>

/** Signatures of one field of several messages, one after the other. */
export type Signatures = Uint32Array

export function wordsOf(field: SearchedField): number {
  return FIELDS[field].words
}

/** Sets the bits of a text: some thirty of them for an address, which makes this the inner loop of indexing. */
export function sign(field: SearchedField, text: string, target: Signatures, at: number): void {
  const folded = foldCase(text)
  const bits = FIELDS[field].words * 32
  let first = folded.charCodeAt(0)
  let second = folded.charCodeAt(1)
  for (let index = 2; index < folded.length; index++) {
    const third = folded.charCodeAt(index)
    const hash = Math.imul((first << 16) ^ (second << 8) ^ third, 0x9e_37_79_b1) >>> 16
    const bit = (hash * bits) >>> 16
    target[at + (bit >>> 5)] = (target[at + (bit >>> 5)] as number) | (1 << (bit & 31))
    first = second
    second = third
  }
}

/** The bits that the signatures of a message must have. */
export class SignatureTest {
  /** For each text, those of the fields that it may be in; the text that rules out most messages first. */
  readonly #texts: readonly TextBits[]
  /** The fields that it examines. */
  readonly fields: readonly SearchedField[]
  /** The same for tests that examine the same fields. */
  readonly shape: string
  /** The share of ordinary messages that pass by chance; less than 1. */
  readonly chance: number

  /**
   * For messages that have each of the texts in one of its fields. Undefined if all of them are too short to set a bit. A message
   * that has the id of a text, but not the text, does not pass.
   */
  static of(texts: readonly TextFilter[]): SignatureTest | undefined {
    const all = texts.flatMap(toTextBits)
    return all.length > 0 ? new SignatureTest(all) : undefined
  }

  private constructor(texts: readonly TextBits[]) {
    this.#texts = texts.toSorted((a, b) => a.chance - b.chance)
    this.fields = SEARCHED_FIELDS.filter((own) => texts.some(({ any }) => any.some(({ field }) => field === own)))
    this.shape = this.fields.join(' ')
    this.chance = Math.min(
      CHANCE_MAX,
      texts.reduce((product, { chance }) => product * chance, 1),
    )
  }

  /** How many messages these signatures belong to; of the fields that it examines, in their order. */
  countMessages(signatures: readonly Signatures[]): number {
    return (signatures[0] as Signatures).length / wordsOf(this.fields[0] as SearchedField)
  }

  /** The indexes of messages that may match. `signatures`: of the fields that it examines, in their order. */
  listPassing(signatures: readonly Signatures[]): readonly number[] {
    let passing: readonly number[] | undefined
    for (const { any } of this.#texts) {
      const found = any.map((bits) =>
        listWith(signatures[this.fields.indexOf(bits.field)] as Signatures, bits, passing),
      )
      passing = found.length === 1 ? (found[0] ?? []) : [...new Set(found.flat())]
    }
    return passing ?? []
  }
}

/** The bits of one text in each of its fields. */
interface TextBits {
  readonly any: readonly FieldBits[]
  /** The share of ordinary messages that have them by chance; at most 1. */
  readonly chance: number
}

/** None if the text is too short to set a bit. */
function toTextBits({ text, fields }: TextFilter): readonly TextBits[] {
  const any = fields.flatMap((field) => bitsOf(field, text))
  if (any.length === 0) return []
  return [
    {
      any,
      chance: Math.min(
        1,
        any.reduce((sum, bits) => sum + chanceOf(bits), 0),
      ),
    },
  ]
}

/** Bits of the signature of a field. */
interface FieldBits {
  readonly field: SearchedField
  readonly words: Uint32Array
  /** The index of the word with most of them: it rules out most messages. */
  readonly lead: number
}

/** None if the text is too short to set a bit. */
function bitsOf(field: SearchedField, text: string): readonly FieldBits[] {
  const words = new Uint32Array(wordsOf(field))
  sign(field, text, words, 0)
  return words.some((word) => word !== 0) ? [{ field, words, lead: indexOfMost(words) }] : []
}

function chanceOf({ field, words }: FieldBits): number {
  const count = words.reduce((sum, word) => sum + countBits(word), 0)
  return FIELDS[field].fill ** count
}

/** The indexes where all of the bits are set; of those in `among`, if given. */
function listWith(signatures: Signatures, bits: FieldBits, among: readonly number[] | undefined): readonly number[] {
  const { words, lead } = bits
  const length = words.length
  if (among) return among.filter((index) => hasAll(signatures, index * length, words))
  const indexes: number[] = []
  const wanted = words[lead] as number
  for (let at = 0; at < signatures.length; at += length) {
    if ((wanted & ~(signatures[at + lead] as number)) === 0 && hasAll(signatures, at, words)) indexes.push(at / length)
  }
  return indexes
}

function hasAll(signatures: Signatures, at: number, bits: Uint32Array): boolean {
  for (let word = 0; word < bits.length; word++) {
    if (((bits[word] as number) & ~(signatures[at + word] as number)) !== 0) return false
  }
  return true
}

function indexOfMost(bits: Uint32Array): number {
  const counts = Array.from(bits, countBits)
  return counts.indexOf(Math.max(...counts))
}

function countBits(word: number): number {
  let count = 0
  for (let rest = word; rest !== 0; rest &= rest - 1) count++
  return count
}
