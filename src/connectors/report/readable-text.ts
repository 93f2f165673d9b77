/** Text from outside as it goes into an event: on one line, without control characters, and not endless. */
import { isUtf8 } from 'node:buffer'

const LENGTH_MAX = 4000

/** Anything but printable ASCII in which no two spaces follow each other. */
const UNUSUAL = /[^ -~]| {2}/

/** Undefined where nothing is left. */
export function readableText(text: string | undefined): string | undefined {
  const start = (text ?? '').slice(0, LENGTH_MAX)
  const line = UNUSUAL.test(start) ? start.toWellFormed().replaceAll(/[\p{Cc}\s]+/gu, ' ') : start
  return line.trim() || undefined
}

const utf8 = new TextDecoder('utf-8')
const windows1252 = new TextDecoder('windows-1252')

/** What is not UTF-8 is most often this, and nothing says otherwise. */
export function decodeBytes(bytes: Uint8Array): string {
  return (isUtf8(bytes) ? utf8 : windows1252).decode(bytes)
}
