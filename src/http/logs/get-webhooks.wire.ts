/** Section 4.1 of the interface: parameters and response of the log listing. */
import { EVENT_TYPES } from '../../events/event.ts'
import { MILLISECONDS_FROM } from '../../events/ingest/parse-event.ts'
import {
  DEFAULT_LIMIT,
  LIMIT_MAX,
  type ListEventsRequest,
  type ListEventsResult,
} from '../../events/log/list-events.ts'
import type { EventText } from '../../events/log/log-query.ts'
import * as t from '../../lib/json-schema.ts'
import { known } from '../../lib/known.ts'
import { LOG_EVENT } from './log-event.wire.ts'

const contained = (what: string) =>
  t.optional(
    t.text(
      `Events whose ${what} contains this text, literally and ignoring letter case: \`%\`, \`_\`, \`*\` and quotes ` +
        'have no special meaning. An empty text counts as not sent. In a URL, `+` means a space; send `%2B` for a plus sign.',
      { maxLength: 1024 },
    ),
  )

const timestamp = (description: string) =>
  t.optional(
    t.integer(description, {
      minimum: 0,
      maximum: MILLISECONDS_FROM - 1,
      'x-above-maximum': 'looks like milliseconds; Unix seconds are expected',
    }),
  )

export const DomainParams = t.object({
  domain: t.text(
    "Sender domain; must belong to the key's tenant. Letter case and one trailing dot are ignored, " +
      'internationalized names are compared in their ASCII form. At most 253 characters.',
  ),
})

/** If a message is requested, all other parameters are ignored, even invalid ones. */
export const MessageIdQuery = t.object({
  message_id: t.optional(
    t.text(
      'All events of one message, newest first, in one page. If set, all other parameters are ignored, even invalid ' +
        'ones. An unknown id gives an empty page.',
      { minLength: 1 },
    ),
  ),
})

export const LogQuery = t.object({
  type: t.optional(t.oneOf(EVENT_TYPES, 'One event type, exact match. Multiple types cannot be combined.')),
  recipient: contained('recipient address'),
  sender: contained('envelope sender'),
  from: contained('From header'),
  subject: contained('subject'),
  response_code: t.optional(t.integer('Exact response code.', { minimum: 0, maximum: 999 })),
  start_timestamp: timestamp('Window start, Unix seconds, inclusive. Default: 15 days before now.'),
  end_timestamp: timestamp('Window end, Unix seconds, inclusive. Default: now. Must not be before the start.'),
  ...MessageIdQuery.properties,
  limit: t.pageSize(DEFAULT_LIMIT, LIMIT_MAX, `Page size. Above ${LIMIT_MAX} it counts as ${LIMIT_MAX}.`),
  next_token: t.optional(
    t.text(
      'Cursor from the previous response, for the next page. It contains the filters and the window of the first page: ' +
        'send it alone or with the same filters; other values are refused. `limit` may change. Valid for 24 hours. An ' +
        'empty value counts as not sent.',
    ),
  ),
})

export function toListRequest(query: t.Static<typeof LogQuery>): Omit<ListEventsRequest, 'tenantId' | 'domain'> {
  const { type, recipient, sender, from, subject, response_code: code, limit } = query
  return {
    filters: {
      ...known({ recipient, sender, from, subject }),
      ...(type && { types: [type] }),
      ...(code !== undefined && { codes: [{ from: code, to: code }] }),
    },
    ...known({
      startTimestamp: query.start_timestamp,
      endTimestamp: query.end_timestamp,
      nextToken: query.next_token,
    }),
    limit,
  }
}

export const LogPageSchema = t.named('EmailLogPage', 'One page of the log.', {
  events: t.list(t.raw({ $ref: LOG_EVENT }), 'Newest first: by timestamp, then by arrival.'),
  count: t.count('Number of events in this page.'),
  filters_applied: t.raw<Readonly<Record<string, string>>>(
    { type: 'object', additionalProperties: { type: 'string' } },
    'Every filter in effect, as strings, with the resolved window; with `message_id` only that. ' +
      '`limit` and `next_token` are not filters.',
  ),
  next_token: t.optional(
    t.text(
      'Cursor for the next page, absent on the last page. A page may be short, or empty, and still have one, because a ' +
        'search that exceeds its time budget returns the events found so far. Following the tokens returns each event ' +
        'that was stored when the first page was served, exactly once.',
    ),
  ),
})

/** Events are stored as JSON text, so the page is concatenated without parsing them. */
export function toLogPageText({ events, nextToken, ...applied }: ListEventsResult): string {
  const filters = JSON.stringify(toFiltersApplied(applied))
  const token = nextToken === undefined ? '' : `,"next_token":${JSON.stringify(nextToken)}`
  return `{"events":[${events.join(',')}],"count":${events.length},"filters_applied":${filters}${token}}`
}

function toFiltersApplied({ filters, window }: Pick<ListEventsResult, 'filters' | 'window'>) {
  const { types, recipient, sender, from, subject, codes } = filters
  return {
    ...known({ type: types?.join(','), recipient, sender, from, subject }),
    ...known({ response_code: codes?.map(({ from: code }) => String(code)).join(',') }),
    start_timestamp: String(window.startTimestamp),
    end_timestamp: String(window.endTimestamp),
  }
}

/** All events of a message in one page; `count` follows the events because it is known only at the end. */
export async function* toMessagePageText(
  messageId: string,
  pages: AsyncIterable<readonly EventText[]>,
): AsyncGenerator<string> {
  let count = 0
  yield '{"events":['
  for await (const events of pages) {
    if (events.length > 0) yield (count > 0 ? ',' : '') + events.join(',')
    count += events.length
  }
  yield `],"count":${count},"filters_applied":${JSON.stringify({ message_id: messageId })}}`
}
