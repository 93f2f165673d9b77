/** Parses one line of Postfix's log. */
import { ID_HEADER } from '../maillog/given-id.ts'
import { parseLogLine } from '../maillog/log-line.ts'

export interface PostfixLine {
  /** Unix seconds. */
  readonly time: number
  readonly host: string
  /** The first part of the program name, shared by all programs of one Postfix instance: `postfix`, `postfix-out`. */
  readonly instance: string
  /** The parts between: `submission` of `postfix/submission/smtpd`, or a transport of master.cf. Empty if there is none. */
  readonly service: string
  /** The last part: `smtp`, `qmgr`, `cleanup`. */
  readonly daemon: string
  /** Empty if unknown. */
  readonly pid: string
  /** Absent in lines about a connection. */
  readonly queueId: string | undefined
  /** The rest of the line. */
  readonly words: string
}

const PROGRAM = /^([^\s[\]:/]+)(?:\/([^\s[\]:]+))?\/([\w-]+)$/
/** Postfix's own limit is 2000. */
const WORDS_LENGTH_MAX = 8192

/** Short ids are hexadecimal; long ones (enable_long_queue_ids) have no vowels, and their last z precedes the inode. */
const ID = '[0-9A-F]{6,20}|[0-9B-DF-HJ-NP-TV-Zb-df-hj-np-tv-z]{10,}z[0-9B-DF-HJ-NP-TV-Zb-df-hj-np-tv-y]+'
const QUEUE_ID = new RegExp(`^(?:${ID})$`)
const QUEUE_ID_AND_WORDS = new RegExp(`^(${ID}): (.*)$`, 's')

export function parsePostfixLine(line: string, nowMs: number, ownHost: string): PostfixLine | undefined {
  const { time, host = ownHost, program = '', pid, text } = parseLogLine(line, nowMs)
  const [, instance = '', service = '', daemon = ''] = PROGRAM.exec(program) ?? []
  if (time === undefined || instance === '' || /\s/.test(host)) return undefined
  const rest = text.slice(0, WORDS_LENGTH_MAX)
  const [, queueId, words] = QUEUE_ID_AND_WORDS.exec(rest) ?? []
  return { time, host, instance, service, daemon, pid, queueId, words: words ?? rest }
}

export function isQueueId(text: string): boolean {
  return QUEUE_ID.test(text)
}

export function isLongQueueId(queueId: string): boolean {
  return queueId.includes('z')
}

export interface ParsedDelivery {
  readonly recipient: string
  readonly relay: string
  readonly enhancedCode: string
  readonly status: string
  readonly text: string
}

/** A quoted local part may contain what looks like the rest of a line. */
const ADDRESS = '"(?:[^"\\\\]|\\\\.)*"(?:@[^<>"]*)?|.*?'
/** Versions differ in the properties around `delay`; versions before 2.3 have no `dsn`. */
const DELIVERY = new RegExp(
  `^to=<(${ADDRESS})>, (?:orig_to=<(?:${ADDRESS})>, )?relay=(.*?), (?:conn_use=\\d+, )?delay=[\\d.]+, ` +
    '(?:(?!dsn=|status=)\\w+=[^\\s,]*, )*(?:dsn=(\\d\\.\\d+\\.\\d+), )?status=(\\S+) \\((.*?)\\)?$',
  's',
)
/**
 * Versions before 3.5 log addresses without quotes: then what was taken for the reply may be the rest of an address, and the
 * outcome is not what the line seems to say.
 */
const SECOND_OUTCOME = />, relay=[^\s,]+, /

/** The outcome for one recipient (log_adhoc.c). */
export function parseDelivery(words: string): ParsedDelivery | undefined {
  if (!words.startsWith('to=<')) return undefined
  const [, recipient, relay = '', enhancedCode = '', status = '', text = ''] = DELIVERY.exec(words) ?? []
  if (recipient === undefined || SECOND_OUTCOME.test(text)) return undefined
  return { recipient, relay, enhancedCode, status, text }
}

export interface LoggedHeader {
  /** In lower case. */
  readonly name: 'from' | 'subject' | 'x-envelog-id'
  readonly value: string
  /** False if Postfix truncated it, or may have replaced an unprintable character with a question mark. */
  readonly isExact: boolean
  readonly protocol: string | undefined
}

const HEADER = new RegExp(`^(?:info|warning): header (From|Subject|${ID_HEADER}): ?`, 'i')
/** Postfix truncates a header, including its name, at this length. */
const HEADER_LENGTH_MAX = 200
/** Follows the header: the client, then other properties of the message. */
const CONTEXT = / from \S{1,300};(?= from=<| to=<| proto=| helo=<|:|$)/g
/** The remainder of a truncated encoded word (RFC 2047). */
const HALF_WORD = /\s*=\?[^\s?]*(?:\?[bq]?(?:\?[^\s?]*\??)?)?$/i

/** A header logged by header_checks (cleanup_message.c). */
export function parseHeader(words: string): LoggedHeader | undefined {
  const [start = '', name = ''] = HEADER.exec(words) ?? []
  if (name === '') return undefined
  // The last one within the length limit: the header itself may contain the same syntax.
  const contexts = [...words.matchAll(CONTEXT)].filter(({ index }) => index <= start.length + HEADER_LENGTH_MAX)
  const context = contexts.at(-1)
  if (!context) return undefined
  const value = words.slice(start.length, context.index)
  const isCut = name.length + 2 + value.length >= HEADER_LENGTH_MAX
  return {
    name: name.toLowerCase() as LoggedHeader['name'],
    value: (isCut && !value.endsWith('?=') ? value.replace(HALF_WORD, '') : value).trim(),
    isExact: !isCut && !value.includes('?'),
    protocol: / proto=(\S+)/.exec(words.slice(context.index + context[0].length))?.[1],
  }
}

export interface LoggedTls {
  readonly relay: string
  readonly version: string
  readonly cipher: string
}

const TLS =
  /^(?:Anonymous|Untrusted|Trusted|Verified) TLS connection (?:established|reused) to (\S+): (\S+) with cipher (\S+) /

/** An outgoing TLS connection (tls_misc.c). */
export function parseTls(words: string): LoggedTls | undefined {
  const [, relay, version, cipher] = TLS.exec(words) ?? []
  return relay === undefined || version === undefined || cipher === undefined ? undefined : { relay, version, cipher }
}
