/**
 * Writes an event as the JSON text of the interface from its columns. The order of the fields is that of the SQLite engine, so that
 * the same event is the same text on both.
 */
import { EVENT_TYPES } from '../../../events/event.ts'
import type { EventText, LogDomain, ShownFields } from '../../../events/log/log-query.ts'
import { splitOriginText } from '../../rows/origin-text.ts'
import { readDetails } from './event-details.ts'
import { PRESENT } from './event-row.ts'

const READ_COLUMNS = [
  'domain',
  'timestamp',
  'arrival',
  'id',
  'recipient',
  'sender',
  'subject',
  'response_content',
  'details',
  'circumstance',
  'mailing',
] as const

const CONTENT = READ_COLUMNS.indexOf('response_content')

/** What to select for `EventTexts`. */
export function eventColumns(shown: ShownFields): string {
  return [...READ_COLUMNS, ...(shown === 'sending' ? ['origin'] : [])].join(', ')
}

/** The reply in a row of `eventColumns`; empty if there is none. */
export function contentOf(values: readonly string[]): string {
  return values[CONTENT] ?? ''
}

export interface ReadEvent {
  readonly domain: number
  readonly timestamp: number
  readonly arrival: number
  readonly text: EventText
}

export class EventTexts {
  readonly #hasAttempts: boolean
  readonly #serviceMessageIdName: string
  readonly #nameOfDomain: ReadonlyMap<string, string>

  constructor(serviceMessageIdField: string, domains: readonly LogDomain[], shown: ShownFields = 'interface') {
    this.#hasAttempts = shown !== 'interface'
    this.#serviceMessageIdName = JSON.stringify(serviceMessageIdField)
    this.#nameOfDomain = new Map(domains.map(({ number, name }) => [String(number), JSON.stringify(name)]))
  }

  /** `values`: those of `eventColumns`. */
  read(values: readonly string[]): ReadEvent {
    const [domain = '', timestamp = '', arrival = '', id = '', recipient = '', sender = '', subject = ''] = values
    const [content = '', details = '', circumstance = '', mailing = '', origin = ''] = values.slice(CONTENT)
    const { type, code, present, size, retryAfter, serviceMessageId } = readDetails(details)
    const name = this.#nameOfDomain.get(domain)
    if (name === undefined) throw new Error(`event of domain ${domain}, which was not requested`)
    const optional = (bit: number, field: string, text: string) =>
      (present & bit) === 0 ? '' : `,${field}:${JSON.stringify(text)}`
    const text =
      `{"id":${JSON.stringify(id)},"timestamp":${timestamp},"type":"${EVENT_TYPES[type] ?? ''}"` +
      `,"domain_name":${name},"recipient":${JSON.stringify(recipient)}` +
      optional(PRESENT.sender, '"sender"', sender) +
      optional(PRESENT.subject, '"subject"', subject) +
      (code === undefined ? '' : `,"response_code":${code}`) +
      optional(PRESENT.response_content, '"response_content"', content) +
      optional(PRESENT.service_message_id, this.#serviceMessageIdName, serviceMessageId) +
      ((present & PRESENT.size) === 0 ? '' : `,"size":${size}`) +
      (retryAfter === 0 || !this.#hasAttempts ? '' : `,"next_attempt":${Number(timestamp) + retryAfter - 1}`) +
      (origin === '' ? '' : toOriginMembers(origin)) +
      `${circumstance}${mailing}}`
    return { domain: Number(domain), timestamp: Number(timestamp), arrival: Number(arrival), text }
  }
}

function toOriginMembers(origin: string): string {
  const [sending_address, sending_source, sending_pool] = splitOriginText(origin)
  const present = Object.entries({ sending_address, sending_source, sending_pool }).filter(([, text]) => text !== '')
  return present.map(([name, text]) => `,"${name}":${JSON.stringify(text)}`).join('')
}
