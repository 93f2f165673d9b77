/** TXT records that were meant to be SPF records, but do not begin with "v=spf1" and a space (RFC 7208 4.5). */
import { printable } from '../../printable-text.ts'
import { isSpfRecord } from '../../spf/syntax/spf-record.ts'
import type { Problem } from '../judging/verdict.ts'

/** `v=spf1;`, `v=spf1include:`, `v = spf1`, `v:spf1`, `spf1`, `v=spf`, ` v=spf1`; not `spf2.0/pra`, which is Sender ID. */
const NEARLY = /^\W{0,9}(?:v\W{0,3}spf ?1?|spf1)(?![0-9])[;,:.\s]*/i
/** Enough to recognize the record by. */
const SHOWN_LENGTH = 16

/** The text with its beginning corrected; undefined if it is an SPF record, or nothing like one. */
export function correctVersion(text: string): string | undefined {
  const [beginning] = NEARLY.exec(text) ?? []
  if (beginning === undefined || isSpfRecord(text)) return undefined
  return `v=spf1 ${text.slice(beginning.length)}`.trimEnd()
}

/** `text`: a value at `name` that `correctVersion` corrects. */
export function describeVersion(name: string, text: string): Problem {
  const isJoined = /^v=spf1[+\-?~a-z]/i.test(text)
  const remedy = isJoined ? 'Insert a space after v=spf1.' : 'Replace it with the required value.'
  const shown = printable(text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}...` : text)
  return {
    diagnosis: 'wrong_version',
    text:
      `A TXT record at ${name} looks like an SPF record but is not one: it must begin with exactly "v=spf1" and a space, ` +
      `but begins with "${shown}". ${remedy}`,
  }
}
