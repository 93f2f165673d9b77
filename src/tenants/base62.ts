/** Random strings of letters and digits: safe in URLs and shells, selected by a double click. */
import { randomBytes } from 'node:crypto'

export const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Replaced in tests. */
export type RandomSource = (size: number) => Uint8Array

export const secureRandom: RandomSource = (size) => randomBytes(size)

/** Bytes from here on are discarded: 256 is not a multiple of 62, so using them would favour the first characters. */
const FAIR_BYTES = 256 - (256 % BASE62.length)

/** Every character equally likely, 5.95 bits each. */
export function randomBase62(length: number, random: RandomSource = secureRandom): string {
  let text = ''
  while (text.length < length) {
    for (const byte of random(length - text.length)) {
      if (byte < FAIR_BYTES) text += BASE62.charAt(byte % BASE62.length)
    }
  }
  return text
}

/** Padded with leading zeros. */
export function toBase62(value: number, length: number): string {
  let rest = value
  let text = ''
  for (let digit = 0; digit < length; digit++) {
    text = BASE62.charAt(rest % BASE62.length) + text
    rest = Math.floor(rest / BASE62.length)
  }
  return text
}
