/** The reply of a mail server, as logs quote it. */
import type { EventType } from '../../events/event.ts'

export interface SmtpReply {
  readonly code: number
  /** Empty if the server gave none. */
  readonly enhancedCode: string
  readonly text: string
}

/** Undefined for text that is not a server's reply. */
export function parseReply(words: string): SmtpReply | undefined {
  const [, code, enhancedCode = '', text = ''] =
    /^([2-5]\d\d)(?:[ -]|$)(?:([245]\.\d{1,3}\.\d{1,3})(?: |$))?(.*)$/s.exec(words) ?? []
  if (code === undefined) return undefined
  return { code: Number(code), enhancedCode, text: words[3] === '-' ? joinLines(text, code, enhancedCode) : text }
}

/** Logs join the lines of a multiline reply (RFC 5321 section 4.2.1), each with its codes. */
function joinLines(text: string, code: string, enhancedCode: string): string {
  const start = enhancedCode === '' ? '' : `(?:${enhancedCode.replaceAll('.', '\\.')} ?)?`
  // Trimmed afterwards: with `\s*` in front, the expression takes quadratic time on a long run of spaces.
  const lines = text.split(new RegExp(`\\b${code}[ -]${start}`))
  return lines
    .map((line) => line.trimEnd())
    .join(' ')
    .trim()
}

/** The interface's code for a temporary problem without a server's reply. */
export const CODE_INTERNAL = 400

/** A permanent failure without a reply has no code. */
export function responseCode(type: EventType, reply: SmtpReply | undefined): number | undefined {
  if (type === 'Delayed') return CODE_INTERNAL
  return reply?.code ?? (type === 'TransientFailure' ? CODE_INTERNAL : undefined)
}
