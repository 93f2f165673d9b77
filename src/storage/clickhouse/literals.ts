/**
 * Values in statements of ClickHouse. Everything from outside goes through here: version 18.16 has no parameters, and one way for all
 * versions is better than two.
 */

const SPECIAL = /[\\'\0]/g
const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', "'": "\\'", '\0': '\\0' }

/** A text, or an integer. */
export function literal(value: string | number | bigint): string {
  if (typeof value === 'string') return `'${value.replace(SPECIAL, (character) => ESCAPES[character] ?? '')}'`
  if (typeof value === 'number' && !Number.isSafeInteger(value)) throw new RangeError(`not an integer: ${value}`)
  return String(value)
}

/** `(1, 2, 3)`, for IN. Not empty: ClickHouse has no empty list. */
export function literalList(values: readonly (string | number | bigint)[]): string {
  if (values.length === 0) throw new RangeError('an empty list')
  return `(${values.map(literal).join(', ')})`
}

/** More numbers than this are passed as one text: the parser takes 20 to 40 µs for each value of a list. */
const LISTED_MAX = 100

/** The right-hand side of IN, for any number of whole numbers of the type. */
export function numberSet(type: 'UInt32' | 'UInt64', values: readonly (number | bigint)[]): string {
  if (values.length <= LISTED_MAX) return literalList(values)
  return `(SELECT to${type}(arrayJoin(splitByChar(',', '${values.map(literal).join(',')}'))))`
}

/** For LIKE: matches texts that contain this one, in which no character is special. */
export function containsPattern(text: string): string {
  return literal(`%${text.replace(/[\\%_]/g, '\\$&')}%`)
}
