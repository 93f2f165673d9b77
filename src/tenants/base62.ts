/** Random texts of letters and digits: safe in a URL, a shell and a double click. */
import { randomBytes } from 'node:crypto'

export const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Where random bytes come from; tests hand in their own. */
export type RandomSource = (size: number) => Uint8Array

export const secureRandom: RandomSource = (size) => randomBytes(size)

/** Bytes from here on are thrown away: 256 is no multiple of 62, so keeping them would favour the first characters. */
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

/** A number written in base 62 with leading zeros. */
export function toBase62(value: number, length: number): string {
  let rest = value
  let text = ''
  for (let place = 0; place < length; place++) {
    text = BASE62.charAt(rest % BASE62.length) + text
    rest = Math.floor(rest / BASE62.length)
  }
  return text
}
