/** Why an attempt of Haraka failed, from its error messages (outbound/hmail.js of Haraka 3). */
import { asText, type UntrustedRecord } from '../shared/untrusted.ts'

export interface Answer {
  /** A number; anything else is passed on, for the event's own check to reject. */
  readonly code: unknown
  /** Empty if the server gave none. */
  readonly enhancedCode: string
  readonly text: string
}

export interface Failure {
  /** The server's reply, if there was one. */
  readonly answer: Answer | undefined
  /** Haraka's own error message. */
  readonly text: string
  /** Whether Haraka gave up after this attempt. */
  readonly isGivenUp: boolean
}

const ENHANCED_CODE = /^([245]\.\d{1,3}\.\d{1,3})(?:\s+|$)/

/**
 * A recipient keeps the reply to an earlier attempt even if the next attempt reached no server. So the error message
 * decides whether there was a reply, and where to find it.
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

/** Classes for Haraka's own messages without a server's reply, which the rules for replies do not cover. */
const OWN_MESSAGES: readonly (readonly [RegExp, string])[] = [
  [/^Tried all MXs/, 'NoAnswerFromHost'],
  [/^(?:Nowhere to deliver mail|No MX for|No Such Domain|Domain .* sends and receives no email)/, 'BadDomain'],
  [/^(?:DNS lookup failure|Temporary MX lookup error)/, 'DNSFailure'],
  [/^(?:No TLS available|Host failed TLS verification|Unrecognized response)/, 'ProtocolErrors'],
]

export function findOwnClass(text: string): string | undefined {
  return OWN_MESSAGES.find(([pattern]) => pattern.test(text))?.[1]
}

/** Haraka parses only enhanced codes of single digits and leaves others at the start of the text. */
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
