/**
 * The hashes that were stored with messages and events to find duplicates, as proof that a row is what was stored: SQLite has no
 * checksums, and a flipped bit within a text is as good as any other text to it.
 */
import type { Database } from '../database/database.ts'
import { eventKey } from '../writing/event-row.ts'
import { fromPosition } from './day.ts'
import { identityOf } from './message-identity.ts'

export interface HashedMessage {
  readonly id: string
  readonly recipient: string
  readonly sender: string | null
  readonly subject: string | null
  readonly serviceMessageId: string | null
  readonly size: number | null
  readonly identity: number
}

export interface HashedEvent {
  readonly position: number
  readonly type: number
  readonly responseCode: number | null
  /** Escaped for JSON. */
  readonly content: string | null
  readonly key: number
}

/** Different events of a message with the same hash get the numbers that follow. */
const EQUAL_HASHES_MAX = 16

/** `mailing`: the members of its mailing. */
export function isStoredMessage(message: HashedMessage, mailing: string): boolean {
  const { id, recipient, sender, subject, serviceMessageId, size, identity } = message
  return identityOf(id, `${recipient}\n${sender}\n${subject}\n${serviceMessageId}\n${size}${mailing}`) === identity
}

/** `circumstance`: the members of its circumstance. */
export function isStoredEvent(event: HashedEvent, circumstance: string): boolean {
  const { position, type, responseCode, content, key } = event
  const text = content === null ? null : fromEscaped(content)
  if (text === undefined) return false
  const hash = eventKey(fromPosition(position).secondOfDay, type, responseCode, text, circumstance)
  return key >= hash && key < hash + EQUAL_HASHES_MAX
}

function fromEscaped(content: string): string | undefined {
  try {
    return JSON.parse(`"${content}"`) as string
  } catch {
    return undefined
  }
}

const ROWS_AT_ONCE = 5000

type MessageColumns = [
  number,
  string,
  string,
  string | null,
  string | null,
  string | null,
  number | null,
  number,
  string,
]
type EventColumns = [number, number, number, number | null, string | null, number, string]

const LIST_MESSAGES = `
  SELECT m.key, m.id, m.recipient, m.sender, m.subject, m.service_message_id, m.size, m.identity, ifnull(l.members, '-')
  FROM message m LEFT JOIN mailing l ON l.key = m.mailing WHERE m.key > ? ORDER BY m.key LIMIT ${ROWS_AT_ONCE}`

const LIST_EVENTS = `
  SELECT e.domain, e.position, e.type, e.response_code, e.content, e.key, ifnull(c.members, '-')
  FROM event e LEFT JOIN circumstance c ON c.key = e.circumstance
  WHERE (e.domain, e.position) > (?, ?) ORDER BY e.domain, e.position LIMIT ${ROWS_AT_ONCE}`

/** Messages and events of a day that are not what was stored. */
export function countChangedRows(db: Database): number {
  return countChangedMessages(db) + countChangedEvents(db)
}

function countChangedMessages(db: Database): number {
  let changed = 0
  for (let last = -1; ; ) {
    const rows = db.allArrays<MessageColumns>(LIST_MESSAGES, last)
    for (const [key, id, recipient, sender, subject, serviceMessageId, size, identity, mailing] of rows) {
      last = key
      const message = { id, recipient, sender, subject, serviceMessageId, size, identity }
      if (!isStoredMessage(message, mailing)) changed++
    }
    if (rows.length < ROWS_AT_ONCE) return changed
  }
}

function countChangedEvents(db: Database): number {
  let changed = 0
  for (let last = [-1, -1]; ; ) {
    const rows = db.allArrays<EventColumns>(LIST_EVENTS, ...last)
    for (const [domain, position, type, responseCode, content, key, circumstance] of rows) {
      last = [domain, position]
      if (!isStoredEvent({ position, type, responseCode, content, key }, circumstance)) changed++
    }
    if (rows.length < ROWS_AT_ONCE) return changed
  }
}
