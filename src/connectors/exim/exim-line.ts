/** One line of Exim's main log, taken apart. What says nothing about a message is undefined. */
import { parseIsoTime } from '../maillog/log-time.ts'

export interface EximLine {
  /** Unix seconds. */
  readonly time: number
  /** Where the line came through syslog. */
  readonly host: string | undefined
  readonly messageId: string
  readonly words: string
}

/** Syslog puts its own time, host and program before a line (RFC 3164, or with times of RFC 3339). */
const SYSLOG = '(?:<\\d+>)?(?:\\w{3} [ \\d]\\d [\\d:]{8}|\\d{4}-\\d\\d-\\d\\dT\\S+) (\\S+) exim\\d?(?:\\[\\d+\\])?: '
const TIME = '\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)?(?: [+-]\\d{4})?'
/** Since 4.97 the parts are longer. */
const MESSAGE_ID = '[0-9A-Za-z]{6}-(?:[0-9A-Za-z]{6}-[0-9A-Za-z]{2}|[0-9A-Za-z]{11}-[0-9A-Za-z]{4})'
const LINE = new RegExp(`^(?:${SYSLOG})?(${TIME}) (?:\\[\\d+\\] )?(${MESSAGE_ID}) (.*)$`, 's')

export function parseEximLine(line: string): EximLine | undefined {
  const [, host, timeText = '', messageId = '', words = ''] = LINE.exec(line) ?? []
  const time = parseIsoTime(timeText)
  return time === undefined ? undefined : { time, host, messageId, words }
}

const DAEMON_LINE = new RegExp(
  `^(?:${SYSLOG})?${TIME} (?:\\[\\d+\\] )?(?:exim \\S+ daemon started|(?:Start|End) queue run): `,
)

/** What the log of a server without mail has: lines of Exim about no message. */
export function isLineOfDaemon(line: string): boolean {
  return DAEMON_LINE.test(line)
}

/** Quoted local parts may hold blanks. */
const ADDRESS = '(?:"(?:[^"\\\\]|\\\\.)*"@\\S+?|\\S+?)'
/** The address that it came to in the end, those between, and the one that the sender wrote: string_log_address. */
const ADDRESSES = new RegExp(`^(${ADDRESS})(?: \\([^()]*\\))?(?: <([^<>]*)>)?(?=:? |:?$)`)
/** A file or a program instead of an address. */
const LOCAL_ADDRESSES = /^(?:[|/]|save ).*? <([^<>]*)>(?=:? |:?$)/

export interface RecipientWords {
  /** The address that the sender wrote. */
  readonly recipient: string
  readonly rest: string
}

/** What was thrown away, and a reply that a filter has made. */
const NO_DELIVERY = /^(?:(?::blackhole:|discarded)(?: |$)|>)/

/** Undefined where there is no address that something was delivered to. */
export function parseRecipient(words: string): RecipientWords | undefined {
  if (NO_DELIVERY.test(words)) return undefined
  const [whole, address, original] = ADDRESSES.exec(words) ?? []
  if (whole !== undefined && /[@<]/.test(whole) && !/^[|/]/.test(words)) {
    const recipient = original || address || ''
    return recipient.includes('@') ? { recipient, rest: words.slice(whole.length) } : undefined
  }
  const [start = '', localOriginal = ''] = LOCAL_ADDRESSES.exec(words) ?? []
  return localOriginal.includes('@') ? { recipient: localOriginal, rest: words.slice(start.length) } : undefined
}

export interface ReceptionWords {
  /** Empty for `<>`. */
  readonly sender: string
  /** The message that this one is a report about. */
  readonly reportOn: string | undefined
  readonly protocol: string | undefined
  readonly size: number | undefined
  /** Still escaped. */
  readonly subject: string | undefined
  /** Empty unless received_recipients is among the log selectors. */
  readonly recipients: readonly string[]
}

const SENDER = new RegExp(`^(${ADDRESS})(?: R=(\\S+))?(?= |$)`)
const PROTOCOL = / P=(\S+)/
const SIZE = / S=(\d+)/
const SUBJECT = / T="((?:[^"\\]|\\.)*)"/s

/** `<= sender H=… P=esmtp S=404 id=… T="…" from <…> for …`: receive.c. */
export function parseReception(words: string): ReceptionWords | undefined {
  const [whole, sender, reportOn] = SENDER.exec(words) ?? []
  if (whole === undefined || sender === undefined) return undefined
  const rest = words.slice(whole.length)
  const size = SIZE.exec(rest)?.[1]
  return {
    sender: sender === '<>' ? '' : sender,
    reportOn,
    protocol: PROTOCOL.exec(rest)?.[1],
    size: size === undefined ? undefined : Number(size),
    subject: SUBJECT.exec(rest)?.[1],
    recipients: parseRecipients(rest),
  }
}

const RECIPIENT = /^(?:"[^"\s]*"|[^\s"<>]+)@[^\s"<>]+$/
/** Where the line is full. */
const CUT_OFF = '<trunc>'

/** The last words of the line. Subject and Message-ID, which the sender chose, may hold something that looks the same. */
function parseRecipients(rest: string): readonly string[] {
  const at = rest.lastIndexOf(' for ')
  if (at === -1) return []
  const words = rest.slice(at + ' for '.length).split(' ')
  if (words.at(-1)?.endsWith(CUT_OFF)) words.pop()
  return words.every((word) => RECIPIENT.test(word)) ? words : []
}
