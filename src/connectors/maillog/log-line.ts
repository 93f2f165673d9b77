/**
 * A line of a log, whatever carried it: syslog (RFC 3164, RFC 3339 times, RFC 5424), the journal as text or JSON, and what
 * container tools put before a line. See docs/connectors/postfix.md for the forms.
 */
import { parseJsonLine } from './json-line.ts'
import { parseHeaderTime } from './log-time.ts'

export interface LogLine {
  /** Unix seconds; undefined if neither the line nor what carried it has a time. */
  readonly time: number | undefined
  readonly host: string | undefined
  /** `postfix/smtp`, `exim`; undefined for a line without a syslog header. */
  readonly program: string | undefined
  /** Empty if unknown. */
  readonly pid: string
  readonly text: string
}

/** What was known before the line itself was read. */
export interface Carrier {
  readonly time: number | undefined
  readonly text: string
}

/** Far above the limits of Postfix (2000) and Exim (8192). */
const LINE_LENGTH_MAX = 16_384

const ISO_TIME = '\\d{4}-\\d\\d-\\d\\dT[\\d:.,]+(?:Z|[+-]\\d\\d:?\\d\\d)?'
const SYSLOG_TIME = '\\w{3} [ \\d]\\d \\d\\d:\\d\\d:\\d\\d(?:\\.\\d{1,9})?'
/** `journalctl -o short-unix` and `-o short-full`. */
const UNIX_TIME = '\\d{9,11}(?:\\.\\d{1,9})?'
const FULL_TIME = '[A-Z]\\w\\w \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d(?:\\.\\d{1,9})? [\\w+:-]{1,10}'

/** Some container images write the severity in place of the host. */
const SEVERITY = '(?:DEBUG|INFO|NOTICE|WARN(?:ING)?|ERR(?:OR)?|CRIT(?:ICAL)?|ALERT|EMERG) {1,10}'
/** RFC 3164 section 4.1, and RFC 3339 times as rsyslog writes them. A host has no brackets; `program[12]:` does. */
const HEADER = new RegExp(
  `^(?:<\\d{1,3}>)?(${ISO_TIME}|${SYSLOG_TIME}|${UNIX_TIME}|${FULL_TIME}) (?:${SEVERITY}|([^\\s[\\]]+) )` +
    '([^\\s[\\]:]+)(?:\\[(\\d+)\\])?: (.*)$',
  's',
)
/** RFC 5424 section 6, up to the structured data; a length may come first (RFC 6587 section 3.4.1). */
const HEADER_5424 = new RegExp(`^(?:\\d{1,6} )?<\\d{1,3}>1 (${ISO_TIME}|-) (\\S+) (\\S+) (\\S+) \\S+ (?=[[-])`)
/** A line of a program that writes to standard output. */
const PROGRAM_ONLY = /^([^\s[\]:]+)\[(\d+)\]: (.*)$/s

export function parseLogLine(line: string, nowMs: number): LogLine {
  const json = parseJsonLine(line)
  if (json && 'program' in json) return json
  if (json) return parseText(json.text, nowMs, json.time)
  const text = line.slice(0, LINE_LENGTH_MAX)
  const found = parseHeader(text, nowMs, undefined)
  if (found) return found
  const named = withoutName(text)
  return (named === text ? undefined : parseHeader(named, nowMs, undefined)) ?? parseStamped(named, nowMs)
}

/** A line with the time that a container tool added. */
function parseStamped(line: string, nowMs: number): LogLine {
  const [stamp, timeText] = STAMP.exec(line) ?? []
  if (stamp === undefined || timeText === undefined) return bareLine(line, undefined)
  return parseText(line.slice(stamp.length), nowMs, parseHeaderTime(timeText, nowMs).time)
}

function parseText(text: string, nowMs: number, carrierTime: number | undefined): LogLine {
  const found = parseHeader(text, nowMs, carrierTime)
  if (found) return found
  const [, program, pid = '', rest = ''] = PROGRAM_ONLY.exec(text) ?? []
  if (program === undefined) return bareLine(text, carrierTime)
  return { time: carrierTime, host: undefined, program, pid, text: rest }
}

function bareLine(text: string, time: number | undefined): LogLine {
  return { time, host: undefined, program: undefined, pid: '', text }
}

/** A time without a zone gives way to that of the carrier. */
function parseHeader(line: string, nowMs: number, carrierTime: number | undefined): LogLine | undefined {
  const [, timeText, host, program, pid = '', text = ''] = HEADER.exec(line) ?? []
  if (timeText === undefined) return parse5424(line, nowMs, carrierTime)
  const { time, hasZone } = parseHeaderTime(timeText, nowMs)
  return time === undefined ? undefined : { time: hasZone ? time : (carrierTime ?? time), host, program, pid, text }
}

function parse5424(line: string, nowMs: number, carrierTime: number | undefined): LogLine | undefined {
  const [header, timeText, host, program, pid = ''] = HEADER_5424.exec(line) ?? []
  if (header === undefined || timeText === undefined) return undefined
  const end = endOfStructuredData(line, header.length)
  if (end === undefined) return undefined
  const time = timeText === '-' ? undefined : parseHeaderTime(timeText, nowMs).time
  return {
    time: time ?? carrierTime,
    host: orUndefined(host),
    program: orUndefined(program),
    pid: /^\d+$/.test(pid) ? pid : '',
    // A byte order mark may come first, which counts as white space.
    text: line.slice(end).trimStart(),
  }
}

/** RFC 5424's NILVALUE. */
function orUndefined(value: string | undefined): string | undefined {
  return value === '-' ? undefined : value
}

/** RFC 5424 section 6.3: `-`, or elements in brackets whose quoted values may contain `\"`, `\\` and `\]`. */
const STRUCTURED_DATA = /-|(?:\[(?:[^\]"]|"(?:[^"\\]|\\.)*")*\])+/sy

function endOfStructuredData(line: string, start: number): number | undefined {
  STRUCTURED_DATA.lastIndex = start
  if (!STRUCTURED_DATA.test(line)) return undefined
  const end = STRUCTURED_DATA.lastIndex
  return end === line.length || line[end] === ' ' ? end : undefined
}

/** `name-1  | ` of docker compose, `[pod/name/container] ` of kubectl. */
const NAME = /^(?:[\w][\w.-]{0,127} {1,100}\| ?|\[pod\/[^\]\s]{1,300}\] )/
/** The time that `--timestamps` adds, and the stream of CRI's files. */
const STAMP = new RegExp(`^(${ISO_TIME}) (?:(?:stdout|stderr) [FP] )?`)
const ESCAPE = '\u001b'
/** The colours of docker compose. */
const COLOUR = new RegExp(`${ESCAPE}\\[[\\d;]{0,20}m`, 'g')

function withoutName(line: string): string {
  const plain = line.includes(ESCAPE) ? line.replaceAll(COLOUR, '') : line
  return plain.replace(NAME, '')
}
