/** Reads bounce messages in plain text: those of qmail, and of Exim versions before RFC 3464. */
import type { RecipientOutcome } from '../../reports/report.ts'
import type { DeliveryStatus } from './delivery-report.ts'
import { readReply } from './diagnostic.ts'
import { findAddresses } from './mail-address.ts'
import type { MimeMessage } from './mime/mime-message.ts'
import { splitCopy } from './words/own-words.ts'
import { wordsAbout } from './words/recipient-words.ts'
import { readServerWords } from './words/server-words.ts'

export interface PlainReport extends DeliveryStatus {
  /** The returned message or the start of it, which follows the report. */
  readonly returned: string
}

const RECIPIENTS_MAX = 100

export function findPlainReport(mime: MimeMessage): PlainReport | undefined {
  const lines = mime.text.replaceAll('\r\n', '\n')
  return findQmailReport(lines) ?? findEximReport(lines, findAddresses(mime.headers('x-failed-recipients').join(',')))
}

/** QSBMF, the qmail-send bounce message format: one paragraph per address. */
const QMAIL_OPENING = /^Hi\. This is the .{1,100} at ([\w.-]{1,253}?)\.?$/m
const QMAIL_BREAK = /^--- Below this line is a copy of the message\.$/m
const QMAIL_PARAGRAPH = /^<([^<>\n]{1,512})>:[ \t]*\n?([^\n]*(?:\n[^\n]+)*)/gm

function findQmailReport(text: string): PlainReport | undefined {
  const [, host] = QMAIL_OPENING.exec(text.slice(0, 1000)) ?? []
  if (host === undefined) return undefined
  const { report, returned } = cut(text, QMAIL_BREAK)
  const paragraphs = [...report.matchAll(QMAIL_PARAGRAPH).take(RECIPIENTS_MAX)]
  if (paragraphs.length === 0) return undefined
  const outcomes = paragraphs.map(([, address = '', words = '']) => toOutcome(address, words, host))
  return { outcomes, returned }
}

const EXIM_BREAK = /^-{4,} This is a copy of (?:the|your) message[^\n]{0,110}$/m

function findEximReport(text: string, failed: readonly string[]): PlainReport | undefined {
  if (failed.length === 0) return undefined
  const { report, returned } = EXIM_BREAK.test(text) ? cut(text, EXIM_BREAK) : cutCopy(text)
  const outcomes = failed.slice(0, RECIPIENTS_MAX).map((address) => toOutcome(address, wordsAbout(report, address)))
  const [only] = outcomes
  // Gmail has the same header and another text, in which the reason comes later.
  if (only && outcomes.length === 1 && only.text === undefined)
    return { outcomes: [{ ...only, ...readServerWords(report) }], returned }
  return { outcomes, returned }
}

function cutCopy(text: string): { report: string; returned: string } {
  const { words, copy } = splitCopy(text)
  return { report: words, returned: copy }
}

function cut(text: string, pattern: RegExp): { report: string; returned: string } {
  const found = pattern.exec(text)
  if (!found) return { report: text, returned: '' }
  return { report: text.slice(0, found.index), returned: text.slice(found.index + found[0].length).trimStart() }
}

function toOutcome(address: string, words: string, peerName?: string): RecipientOutcome {
  return { addresses: findAddresses(address).slice(0, 1), action: 'failed', ...readReply(words), peerName }
}
