/** Why an attempt of Haraka failed, told from the words it has for it (outbound/hmail.js of Haraka 3). */
import { asText, type UntrustedRecord } from '../untrusted.ts'

export interface Answer {
  /** A number, or what is none and left for the event's own check to refuse. */
  readonly code: unknown
  /** Empty where the server gave none. */
  readonly enhancedCode: string
  readonly text: string
}

export interface Failure {
  /** The answer of a server; undefined where none was given. */
  readonly answer: Answer | undefined
  /** Haraka's own words. */
  readonly text: string
  /** It was the last of the attempts. */
  readonly isGivenUp: boolean
}

const ENHANCED_CODE = /^([245]\.\d{1,3}\.\d{1,3})(?:\s+|$)/

/**
 * Haraka leaves the answer to an earlier attempt with a recipient, also when the next attempt found no server at all. So
 * the words of the failure decide whether there was an answer, and where it stands.
 */
export function readFailure(error: string, recipient: UntrustedRecord): Failure {
  const [, inner] = /^Too many failures \((.*)\)$/s.exec(error) ?? []
  const words = inner ?? error
  return { answer: findAnswer(words, recipient), text: error, isGivenUp: inner !== undefined }
}

function findAnswer(words: string, recipient: UntrustedRecord): Answer | undefined {
  if (/^Some recipients (?:temp )?failed: /.test(words)) {
    const { code, enhanced, response } = recipient
    return code === undefined || code === null ? undefined : answerOf(code, enhanced, response)
  }
  const [, code, rest = ''] = /^(?:Upstream error: )?([2-5]\d\d) (.*)$/s.exec(words) ?? []
  return code === undefined ? undefined : answerOf(code, undefined, rest)
}

/** Haraka's own words, where nobody has answered: classes that no rule about the answers of servers finds. */
const OWN_WORDS: readonly (readonly [RegExp, string])[] = [
  [/^Tried all MXs/, 'NoAnswerFromHost'],
  [/^(?:Nowhere to deliver mail|No MX for|No Such Domain|Domain .* sends and receives no email)/, 'BadDomain'],
  [/^(?:DNS lookup failure|Temporary MX lookup error)/, 'DNSFailure'],
  [/^(?:No TLS available|Host failed TLS verification|Unrecognized response)/, 'ProtocolErrors'],
]

export function findOwnClass(text: string): string | undefined {
  return OWN_WORDS.find(([words]) => words.test(text))?.[1]
}

/** Of enhanced codes Haraka knows those with one digit in each place; others stay at the beginning of the text. */
export function answerOf(code: unknown, enhanced: unknown, response: unknown): Answer {
  const text = asText(response) ?? ''
  const given = asText(enhanced)
  const [found, foundCode] = given === undefined ? (ENHANCED_CODE.exec(text) ?? []) : []
  return {
    code: typeof code === 'string' && /^\d{3}$/.test(code) ? Number(code) : code,
    enhancedCode: given ?? foundCode ?? '',
    text: found === undefined ? text : text.slice(found.length),
  }
}
