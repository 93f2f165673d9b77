/** The answer of a mail server, as it stands in a log. */

export interface SmtpReply {
  readonly code: number
  /** Empty where the server gave none. */
  readonly enhancedCode: string
  readonly text: string
}

/** Undefined for words that are no answer of a server. */
export function parseReply(words: string): SmtpReply | undefined {
  const [, code, enhancedCode = '', text = ''] =
    /^([2-5]\d\d)(?:[ -]|$)(?:([245]\.\d{1,3}\.\d{1,3})(?: |$))?(.*)$/s.exec(words) ?? []
  if (code === undefined) return undefined
  return { code: Number(code), enhancedCode, text: words[3] === '-' ? joinLines(text, code, enhancedCode) : text }
}

/** Lines of one answer (RFC 5321 section 4.2.1) stand in a log one after the other, each with its codes. */
function joinLines(text: string, code: string, enhancedCode: string): string {
  const start = enhancedCode === '' ? '' : `(?:${enhancedCode.replaceAll('.', '\\.')} ?)?`
  return text.replaceAll(new RegExp(`\\s*\\b${code}[ -]${start}`, 'g'), ' ').trim()
}
