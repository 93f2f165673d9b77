/** The events of a day's file as they were appended, in the order of their arrival. The file may be in use by a server. */
import { type EmailEvent, EVENT_TYPES, type EventExtension } from '../../events/event.ts'
import type { AttributedEvent } from '../../events/log/event-log.ts'
import { known } from '../../lib/known.ts'
import { Recent } from '../../lib/recent.ts'
import type { Database, SqlValue } from '../sqlite/database/database.ts'
import { type Day, fromPosition, startOfDay } from '../sqlite/days/day.ts'
import { JOIN_MESSAGE } from '../sqlite/days/message-key.ts'

/** Arrivals that are looked up at once: the index is by time, and each window reads all of it. */
const WINDOW_ARRIVALS = 500_000

const LIST_POSITIONS = `
  SELECT domain, position FROM event INDEXED BY event_by_position
  WHERE (position & 4294967295) > ? AND (position & 4294967295) <= ?`

const SELECT_EVENT = `
  SELECT e.type, e.response_code, e.content, e.retry_after, c.members, l.members, m.id, m.recipient, m.sender, m.subject,
    m.service_message_id, m.size, o.address, o.source, o.pool
  FROM event e ${JOIN_MESSAGE} CROSS JOIN mailing l ON l.key = m.mailing CROSS JOIN circumstance c ON c.key = e.circumstance
    LEFT JOIN origin o ON o.key = e.origin
  WHERE e.domain = ? AND e.position = ?`

type Position = [domain: number, position: number]

export interface DayChunk {
  readonly events: readonly AttributedEvent[]
  /** Everything up to this arrival number is in this chunk or in one before. */
  readonly arrival: number
}

export interface DayRange {
  /** Arrival numbers: exclusive and inclusive. */
  readonly after: number
  readonly until: number
  readonly chunkEvents: number
  /** Undefined for a domain that was removed: its events are not read. */
  readonly domainName: (number: number) => string | undefined
}

/** The last arrival number of the day. What arrives later does not change what has arrived before. */
export function lastArrival(db: Database): number {
  return db.number('SELECT arrival FROM day')
}

/** Events that are erased meanwhile are left out. */
export function* readChunks(db: Database, day: Day, range: DayRange): Generator<DayChunk> {
  const { until, chunkEvents, domainName } = range
  for (let after = range.after; after < until; after += WINDOW_ARRIVALS) {
    const end = Math.min(until, after + WINDOW_ARRIVALS)
    const positions = db.allArrays<Position>(LIST_POSITIONS, after, end)
    positions.sort(([, a], [, b]) => fromPosition(a).arrival - fromPosition(b).arrival)
    let events: AttributedEvent[] = []
    for (const [domainNumber, position] of positions) {
      const name = domainName(domainNumber)
      const columns = name === undefined ? undefined : db.allArrays(SELECT_EVENT, domainNumber, position)[0]
      if (name === undefined || !columns) continue
      events.push({ domainNumber, ...toEvent(columns, startOfDay(day) + fromPosition(position).secondOfDay, name) })
      if (events.length < chunkEvents) continue
      yield { events, arrival: fromPosition(position).arrival }
      events = []
    }
    yield { events, arrival: end }
  }
}

function toEvent(
  columns: readonly SqlValue[],
  timestamp: number,
  domainName: string,
): Omit<AttributedEvent, 'domainNumber'> {
  const [type, code, content, retryAfter, circumstance, mailing, ...message] = columns
  const [id, recipient, sender, subject, serviceMessageId, size, address, source, pool] = message
  const { url, machine, ...outcome } = parseMembers(String(circumstance))
  const event: EmailEvent = {
    id: String(id),
    timestamp,
    type: EVENT_TYPES[Number(type)] ?? 'Reception',
    domain_name: domainName,
    recipient: String(recipient),
    ...known({
      sender: textOf(sender),
      subject: textOf(subject),
      response_code: numberOf(code),
      response_content: unescaped(content),
      service_message_id: textOf(serviceMessageId),
      size: numberOf(size),
    }),
    ...parseMembers(String(mailing)),
    ...outcome,
  }
  const wait = numberOf(retryAfter)
  const extension: EventExtension = known({
    url,
    machine,
    sending_address: textOf(address) || undefined,
    sending_source: textOf(source) || undefined,
    sending_pool: textOf(pool) || undefined,
    next_attempt: wait === undefined ? undefined : timestamp + wait,
  })
  return { event, ...(Object.keys(extension).length > 0 && { extension }) }
}

/** Few texts, which nearly all events share. */
const MEMBERS_KNOWN = 2000
const knownMembers = new Recent<Partial<EmailEvent & EventExtension>>(MEMBERS_KNOWN)

/** `,"a":1,"b":"x"`, as event-members.ts writes it. */
function parseMembers(members: string): Partial<EmailEvent & EventExtension> {
  return knownMembers.findOrKeep(members, () => JSON.parse(`{${members.slice(1)}}`) as Partial<EmailEvent>)
}

function textOf(value: SqlValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function numberOf(value: SqlValue | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined
}

function unescaped(content: SqlValue | undefined): string | undefined {
  if (typeof content !== 'string') return undefined
  return content.includes('\\') ? (JSON.parse(`"${content}"`) as string) : content
}
