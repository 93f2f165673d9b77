/** Text from outside as it goes into an event: on one line, without control characters, and not endless. */

const LENGTH_MAX = 4000

/** Undefined where nothing is left. */
export function readableText(text: string | undefined): string | undefined {
  const line = (text ?? '')
    .slice(0, LENGTH_MAX)
    .toWellFormed()
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim()
  return line === '' ? undefined : line
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true })
const windows1252 = new TextDecoder('windows-1252')

/** What is not UTF-8 is most often this, and nothing says otherwise. */
export function decodeBytes(bytes: Uint8Array): string {
  try {
    return strictUtf8.decode(bytes)
  } catch {
    return windows1252.decode(bytes)
  }
}
