/** Parses one untrusted record into an event, or says what is wrong with it. Nothing is guessed or dropped silently. */
import { AppError } from '../../lib/app-error.ts'
import { shorten } from '../../lib/text/shorten.ts'
import { type EmailEvent, EVENT_TYPES, type EventField, isEventType } from '../event.ts'

/** Longest texts we keep; real subjects and server answers stay far below. */
const NAME_LENGTH_MAX = 1024
const TEXT_LENGTH_MAX = 65_536
const MESSAGE_ID_LENGTH_MAX = 255

/** From here on a number must be milliseconds (as seconds: the year 5138; as milliseconds: 1973). */
export const MILLISECONDS_FROM = 100_000_000_000

/** Unicode's category Cc. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are searched for
const CONTROL = /[\x00-\x1f\x7f-\x9f]/

type Check = (value: unknown) => string | undefined

const FIELD_CHECKS: Readonly<Record<EventField, Check>> = {
  id: (value) => checkText(value, MESSAGE_ID_LENGTH_MAX) ?? checkNotEmpty(value) ?? checkNoControl(value),
  timestamp: checkTimestamp,
  type: (value) => (isEventType(value) ? undefined : `must be one of ${EVENT_TYPES.join(', ')}`),
  domain_name: (value) => checkText(value, NAME_LENGTH_MAX) ?? checkNotEmpty(value),
  recipient: (value) => checkText(value, NAME_LENGTH_MAX) ?? checkAddress(value),
  // An empty envelope sender is the null reverse-path of RFC 5321 section 4.5.5.
  sender: (value) => checkText(value, NAME_LENGTH_MAX),
  from: (value) => checkText(value, TEXT_LENGTH_MAX),
  subject: (value) => checkText(value, TEXT_LENGTH_MAX),
  response_code: (value) => checkInteger(value, 0, 999),
  response_content: (value) => checkText(value, TEXT_LENGTH_MAX),
  response_enhanced_code: (value) => checkText(value, NAME_LENGTH_MAX),
  provider_name: (value) => checkText(value, NAME_LENGTH_MAX),
  peer_name: (value) => checkText(value, NAME_LENGTH_MAX),
  bounce_classification: (value) => checkText(value, NAME_LENGTH_MAX),
  num_attempts: (value) => checkInteger(value, 0, 2_147_483_647),
  size: (value) => checkInteger(value, 0, Number.MAX_SAFE_INTEGER),
  service_message_id: (value) => checkText(value, NAME_LENGTH_MAX),
  direction: (value) => checkText(value, NAME_LENGTH_MAX),
  campaign: (value) => (value === null ? undefined : checkText(value, NAME_LENGTH_MAX)),
  reception_protocol: (value) => checkText(value, NAME_LENGTH_MAX),
  delivery_protocol: (value) => checkText(value, NAME_LENGTH_MAX),
  tls_protocol_version: (value) => checkText(value, NAME_LENGTH_MAX),
  tls_cipher: (value) => checkText(value, NAME_LENGTH_MAX),
}

const CHECKS: ReadonlyMap<string, Check> = new Map(Object.entries(FIELD_CHECKS))

/** Whether it can be the id of an event. */
export function isEventId(text: string): boolean {
  return FIELD_CHECKS.id(text) === undefined
}

const REQUIRED_FIELDS = ['id', 'timestamp', 'type', 'domain_name', 'recipient'] as const satisfies EventField[]

/**
 * `serviceMessageIdField` is the wire name that carries the operator's brand; the unbranded name is understood as well.
 * Throws AppError `invalid_payload` that names every field at fault.
 */
export function parseEvent(record: unknown, serviceMessageIdField: string): EmailEvent {
  if (isEvent(record)) return record
  if (typeof record !== 'object' || record === null || Array.isArray(record)) {
    throw new AppError('invalid_payload', 'an event must be a JSON object')
  }
  const problems: string[] = []
  const event: Record<string, unknown> = {}
  for (const name of Object.keys(record)) {
    const value: unknown = (record as Record<string, unknown>)[name]
    const field = name === serviceMessageIdField ? 'service_message_id' : name
    const check = CHECKS.get(field)
    if (!check) {
      problems.push(`${quoteName(name)}: unknown field`)
      continue
    }
    // Many producers write null for "unknown"; only for a campaign it has a meaning.
    if (value === null && field !== 'campaign' && !isRequired(field)) continue
    const problem = check(value)
    if (problem) problems.push(`${name}: ${problem}`)
    else if (field in event) problems.push(`${name}: given twice`)
    event[field] = value
  }
  for (const field of REQUIRED_FIELDS) if (!(field in event)) problems.push(`${field}: is required`)
  if (problems.length > 0) throw new AppError('invalid_payload', problems.join('; '))
  return event as unknown as EmailEvent
}

/** Most records are events as they are, with nothing to rename or omit, and need not be copied. */
function isEvent(record: unknown): record is EmailEvent {
  if (typeof record !== 'object' || record === null || Array.isArray(record)) return false
  const fields = record as Readonly<Record<string, unknown>>
  for (const name in fields) {
    const check = CHECKS.get(name)
    if (!check || check(fields[name]) !== undefined) return false
  }
  const { id, timestamp, type, domain_name, recipient } = fields
  return [id, timestamp, type, domain_name, recipient].every((value) => value !== undefined)
}

function isRequired(field: string): boolean {
  return (REQUIRED_FIELDS as readonly string[]).includes(field)
}

function checkText(value: unknown, lengthMax: number): string | undefined {
  if (typeof value !== 'string') return `must be a string, not ${describeType(value)}`
  if (value.length > lengthMax) return `must be at most ${lengthMax} characters, has ${value.length}`
  // It would be stored as a replacement character.
  if (!value.isWellFormed()) return 'contains an unpaired surrogate'
  return undefined
}

function checkNotEmpty(value: unknown): string | undefined {
  return value === '' ? 'must not be empty' : undefined
}

function checkNoControl(value: unknown): string | undefined {
  return CONTROL.test(String(value)) ? 'must not contain control characters' : undefined
}

function checkAddress(value: unknown): string | undefined {
  const address = String(value)
  const hasBothParts = address.includes('@') && !address.startsWith('@') && !address.endsWith('@')
  return hasBothParts ? undefined : 'must be an email address'
}

function checkInteger(value: unknown, min: number, max: number): string | undefined {
  if (typeof value !== 'number') return `must be an integer, not ${describeType(value)}`
  if (!Number.isSafeInteger(value)) return 'must be an integer'
  return value < min || value > max ? `must be between ${min} and ${max}` : undefined
}

function checkTimestamp(value: unknown): string | undefined {
  const problem = checkInteger(value, 0, Number.MAX_SAFE_INTEGER)
  if (problem) return problem
  return Number(value) >= MILLISECONDS_FROM ? 'must be Unix seconds; this looks like milliseconds' : undefined
}

function describeType(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`
}

const NAME_SHOWN_MAX = 60

/** Names come from outside and go into an answer: short and on one line. */
function quoteName(name: string): string {
  return JSON.stringify(shorten(name, NAME_SHOWN_MAX))
}
