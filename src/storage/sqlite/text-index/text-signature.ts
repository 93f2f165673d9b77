/**
 * Signatures of the searchable texts of messages: some bits for each field, of which any three characters in a row set one. A field can
 * have a text only where all bits of that text are set, which is told without reading the message. Some have them all by
 * chance; the texts themselves decide.
 */
import { foldCase } from '../../../lib/case-folding.ts'
import { SEARCHED_FIELDS, type SearchedField, type TextFilters } from './text-search.ts'

/**
 * How long the signature of each field is, in numbers of 32 bits, and which share of these bits an ordinary text sets. Recipients are
 * searched for most, and by short texts; the From of a domain's messages is mostly the same.
 */
const FIELDS: Readonly<Record<SearchedField, { readonly words: number; readonly fill: number }>> = {
  recipient: { words: 4, fill: 0.17 },
  sender: { words: 4, fill: 0.2 },
  from: { words: 1, fill: 0.7 },
  subject: { words: 4, fill: 0.22 },
}

/** Short texts that may be anywhere. */
const CHANCE_MAX = 0.99

/** `null` for a field that is missing. */
export type SearchedTexts = Readonly<Record<SearchedField, string | null>>

/** Signatures of one field of several messages, one behind the other. */
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
  for (let place = 2; place < folded.length; place++) {
    const third = folded.charCodeAt(place)
    const hash = Math.imul((first << 16) ^ (second << 8) ^ third, 0x9e_37_79_b1) >>> 16
    const bit = (hash * bits) >>> 16
    target[at + (bit >>> 5)] = (target[at + (bit >>> 5)] as number) | (1 << (bit & 31))
    first = second
    second = third
  }
}

/** What the signatures of a message must have. */
export class SignatureTest {
  /** Bits that have to be set in the field, of one field after the other. */
  readonly #named: readonly FieldBits[]
  /** Bits of which those of one field have to be set; none where nothing is asked of any of them. */
  readonly #any: readonly FieldBits[]
  /** What it looks at. */
  readonly fields: readonly SearchedField[]
  /** The same for all that look at the same. */
  readonly shape: string
  /** The share of ordinary messages that pass by chance; less than 1. */
  readonly chance: number

  /**
   * For messages with all of the texts and, if it is given, `anyText` in one of the fields. Undefined where all of them are too short to
   * set a bit.
   */
  static of(texts: TextFilters, anyText = ''): SignatureTest | undefined {
    const named = SEARCHED_FIELDS.flatMap((field) => bitsOf(field, texts[field] ?? ''))
    const any = SEARCHED_FIELDS.flatMap((field) => bitsOf(field, anyText))
    return named.length + any.length > 0 ? new SignatureTest(named, any) : undefined
  }

  private constructor(named: readonly FieldBits[], any: readonly FieldBits[]) {
    this.#named = named
    this.#any = any
    this.fields = any.length > 0 ? SEARCHED_FIELDS : named.map(({ field }) => field)
    this.shape = this.fields.join(' ')
    const chanceOfAny = any.length > 0 ? any.reduce((sum, bits) => sum + chanceOf(bits), 0) : 1
    const chance = named.reduce((product, bits) => product * chanceOf(bits), chanceOfAny)
    this.chance = Math.min(CHANCE_MAX, chance)
  }

  /** How many messages these signatures, of the fields that it looks at in their order, are of. */
  countMessages([first]: readonly Signatures[]): number {
    const [field] = this.fields
    return first && field ? first.length / wordsOf(field) : 0
  }

  /** The places of messages that may be meant, by the signatures of the fields that it looks at, in their order. */
  listPassing(signatures: readonly Signatures[]): readonly number[] {
    const signaturesOf = ({ field }: FieldBits) => signatures[this.fields.indexOf(field)] as Signatures
    let passing: readonly number[] | undefined
    for (const bits of this.#named) passing = listWith(signaturesOf(bits), bits, passing)
    if (this.#any.length === 0) return passing ?? []
    return [...new Set(this.#any.flatMap((bits) => listWith(signaturesOf(bits), bits, passing)))]
  }
}

/** Bits of the signature of a field. */
interface FieldBits {
  readonly field: SearchedField
  readonly words: Uint32Array
  /** The place of the word with most of them: most messages are done with after a look at that. */
  readonly lead: number
}

/** None where the text is too short to set a bit. */
function bitsOf(field: SearchedField, text: string): readonly FieldBits[] {
  const words = new Uint32Array(wordsOf(field))
  sign(field, text, words, 0)
  return words.some((word) => word !== 0) ? [{ field, words, lead: indexOfMost(words) }] : []
}

function chanceOf({ field, words }: FieldBits): number {
  const count = words.reduce((sum, word) => sum + countBits(word), 0)
  return FIELDS[field].fill ** count
}

/** The places where all of the bits are set, of all or of some. */
function listWith(signatures: Signatures, bits: FieldBits, among: readonly number[] | undefined): readonly number[] {
  const { words, lead } = bits
  const length = words.length
  if (among) return among.filter((place) => hasAll(signatures, place * length, words))
  const places: number[] = []
  const wanted = words[lead] as number
  for (let at = 0; at < signatures.length; at += length) {
    if ((wanted & ~(signatures[at + lead] as number)) === 0 && hasAll(signatures, at, words)) places.push(at / length)
  }
  return places
}

function hasAll(signatures: Signatures, at: number, bits: Uint32Array): boolean {
  for (let word = 0; word < bits.length; word++) {
    // Whatever is wanted and not there.
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
