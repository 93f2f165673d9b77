/** Splits the diagnostic text of a server (RFC 3464 section 2.3.6) into code, enhanced code and text. */
import type { RecipientOutcome } from '../../reports/report.ts'
import { typedValue } from './field-blocks.ts'
import { readableText } from './readable-text.ts'

export type Diagnostic = Pick<RecipientOutcome, 'code' | 'enhancedCode' | 'text'>

/** A reply (RFC 5321 section 4.2), at the start or after the words of the program that received it. */
const REPLY =
  /(?:^|\b(?:said|replied|response): |[\]>]: )(?:#\d\.\d{1,3}\.\d{1,3} (?:smtp; ?)?)?([245]\d\d)(?:[ -]|$)(?:#?([245]\.\d{1,3}\.\d{1,3})(?: |$))?/i
const ENHANCED = /(?:^|[\s(#])([245]\.\d{1,3}\.\d{1,3})(?=$|[\s).,:;-])/

/** The value of `Diagnostic-Code:`, with or without its type. */
export function readDiagnostic(field: string): Diagnostic {
  return readReply(typedValue(field).value)
}

export function readReply(words: string): Diagnostic {
  const line = readableText(words)
  if (line === undefined) return {}
  const reply = REPLY.exec(line)
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
