/**
 * An event's JSON ends with two texts that many events share: that of its circumstance and that of its message's mailing. SQL
 * returns the keys of both as one number, because another column takes longer than splitting the number.
 */
const KEY_BITS = 26
const KEYS = 2 ** KEY_BITS

/** SQL over `event e` and `message m`. */
export const ENDING_KEY = `(m.mailing << ${KEY_BITS} | e.circumstance)`

export function splitEndingKey(key: number): { readonly mailing: number; readonly circumstance: number } {
  return { mailing: Math.floor(key / KEYS), circumstance: key % KEYS }
}

/** Each such text is hundreds of bytes: a day that has more of them than this does not fit on a disk. */
export function requireEndingPart(key: number): number {
  if (key >= KEYS) throw new RangeError(`a day cannot have a text of number ${key}`)
  return key
}
