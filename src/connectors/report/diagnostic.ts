/** Splits the diagnostic text of a server (RFC 3464 section 2.3.6) into code, enhanced code and text. */
import type { RecipientOutcome } from '../../reports/report.ts'
import { typedValue } from './field-blocks.ts'
import { readableText } from './readable-text.ts'

export type Diagnostic = Pick<RecipientOutcome, 'code' | 'enhancedCode' | 'text'>

/**
 * A negative reply (RFC 5321 section 4.2), at the start or after the words of the program that received it: `said:`, `host
 * [192.0.2.1]: `, `after end of data: `, `<<< `, `returned '`. Codes below 400 and above 599 are not looked for: they cannot be
 * the reply to a failed command. Sizes and counts are not replies.
 */
const REPLY =
  /(?:^|(?<!\d):|:[ \t]{1,2}|[>\])'"(<=#;[],?[ \t]{0,2}|<-- ?|\b(?:said|says|replied|responded|returned|(?:reply|response|error|status) was|error|code)[ \t]{1,2})(?:#\d\.\d{1,3}\.\d{1,3} (?:smtp; ?)?)?([45]\d\d)(?:[ ,:;-]|$)(?! {0,2}(?:bytes|octets|[kmg]i?b|lines|seconds|minutes|hours|days|recipients|messages|times)\b)(?:#?([245]\.\d{1,3}\.\d{1,3})(?: |$))?/im
/** Only at the start: within a text it may be the reply to an earlier command. */
const POSITIVE_REPLY = /^(2\d\d)(?:[ -]|$)(?:#?(2\.\d{1,3}\.\d{1,3})(?: |$))?/
const ENHANCED = /(?:^|[\s(#:])([245]\.\d{1,3}\.\d{1,3})(?=$|[\s),:;-]|\.(?!\d))/

/** Whether the text quotes a reply. */
export function hasReply(text: string): boolean {
  return REPLY.test(text)
}

/** The value of `Diagnostic-Code:`, with or without its type. */
export function readDiagnostic(field: string): Diagnostic {
  const { text, ...codes } = readReply(typedValue(field).value)
  // Exit codes of programs are not words.
  return text !== undefined && /\p{L}/u.test(text) ? { ...codes, text } : codes
}

export function readReply(words: string): Diagnostic {
  const line = readableText(words)
  if (line === undefined) return {}
  const reply = REPLY.exec(line) ?? POSITIVE_REPLY.exec(line)
  const code = reply?.[1]
  const given = reply?.[2]
  const enhancedCode = given ?? ENHANCED.exec(line)?.[1]
  if (reply === null || reply.index > 0 || code === undefined) {
    return { code: code === undefined ? undefined : Number(code), enhancedCode, text: line }
  }
  return { code: Number(code), enhancedCode, text: readableText(withoutCode(line.slice(reply[0].length), code, given)) }
}

/** Every line of a multiline reply repeats the code. */
function withoutCode(text: string, code: string, enhancedCode = ''): string {
  if (!text.includes(` ${code}`)) return text
  const enhanced = enhancedCode === '' ? '' : `(?:${enhancedCode.replaceAll('.', '\\.')} )?`
  return text.replaceAll(new RegExp(` ${code}[- ]${enhanced}`, 'g'), ' ')
}
