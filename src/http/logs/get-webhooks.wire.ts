/** Section 4.1 of the interface: parameters and response of the log listing. */
import { type Static, Type } from 'typebox'
import { EVENT_TYPES } from '../../events/event.ts'
import { MILLISECONDS_FROM } from '../../events/ingest/parse-event.ts'
import {
  DEFAULT_LIMIT,
  LIMIT_MAX,
  type ListEventsRequest,
  type ListEventsResult,
} from '../../events/log/list-events.ts'
import type { EventText, LogFilters } from '../../events/log/log-query.ts'
import { parseQuery } from '../request/query-parameters.ts'
import { LOG_EVENT } from './log-event.wire.ts'

const TEXT_LENGTH_MAX = 1024

const textFilter = (what: string) =>
  Type.Optional(
    Type.String({
      maxLength: TEXT_LENGTH_MAX,
      description:
        `Events whose ${what} contains this text, literally and ignoring letter case: \`%\`, \`_\`, \`*\` and quotes ` +
        'have no special meaning. An empty text counts as not sent. In a URL, `+` means a space; send `%2B` for a plus sign.',
    }),
  )

const timestamp = (description: string) =>
  Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MILLISECONDS_FROM - 1,
      'x-above-maximum': 'looks like milliseconds; Unix seconds are expected',
      description,
    }),
  )

export const DomainParams = Type.Object({
  domain: Type.String({
    description:
      "Sender domain; must belong to the key's tenant. Letter case and one trailing dot are ignored, " +
      'internationalized names are compared in their ASCII form. At most 253 characters.',
  }),
})

const MessageIdQuery = Type.Object({
  message_id: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        'All events of one message, newest first, in one page. If set, all other parameters are ignored, even invalid ' +
        'ones. An unknown id gives an empty page.',
    }),
  ),
})

const FilterQuery = Type.Object({
  type: Type.Optional(
    Type.Enum([...EVENT_TYPES], {
      type: 'string',
      description: 'One event type, exact match. Multiple types cannot be combined.',
    }),
  ),
  recipient: textFilter('recipient address'),
  sender: textFilter('envelope sender'),
  from: textFilter('From header'),
  subject: textFilter('subject'),
  response_code: Type.Optional(Type.Integer({ minimum: 0, maximum: 999, description: 'Exact response code.' })),
  start_timestamp: timestamp('Window start, Unix seconds, inclusive. Default: 15 days before now.'),
  end_timestamp: timestamp('Window end, Unix seconds, inclusive. Default: now. Must not be before the start.'),
})

const PageQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      default: DEFAULT_LIMIT,
      'x-counts-at-most': LIMIT_MAX,
      description: `Page size. Above ${LIMIT_MAX} it counts as ${LIMIT_MAX}.`,
    }),
  ),
  next_token: Type.Optional(
    Type.String({
      description:
        'Cursor from the previous response, for the next page. It contains the filters and the window of the first page: ' +
        'send it alone or with the same filters; other values are refused. `limit` may change. Valid for 24 hours. An ' +
        'empty value counts as not sent.',
    }),
  ),
})

export const LogQuery = Type.Object({
  ...FilterQuery.properties,
  ...MessageIdQuery.properties,
  ...PageQuery.properties,
})

/** The id of the requested message; if set, all other parameters are ignored. Throws AppError `invalid_request`. */
export function parseMessageId(query: unknown): string | undefined {
  return parseQuery(MessageIdQuery, query).message_id
}

/** Throws AppError `invalid_request`. */
export function parseLogQuery(query: unknown): Omit<ListEventsRequest, 'tenantId' | 'domain'> {
  const { limit, next_token: nextToken } = parseQuery(PageQuery, query)
  const { start_timestamp: startTimestamp, end_timestamp: endTimestamp, ...filters } = parseQuery(FilterQuery, query)
  return {
    filters: toLogFilters(filters),
    ...(startTimestamp !== undefined && { startTimestamp }),
    ...(endTimestamp !== undefined && { endTimestamp }),
    ...(limit !== undefined && { limit }),
    ...(nextToken !== undefined && { nextToken }),
  }
}

function toLogFilters({ type, response_code: code, ...texts }: Static<typeof FilterQuery>): LogFilters {
  return {
    ...texts,
    ...(type !== undefined && { types: [type] }),
    ...(code !== undefined && { codes: [{ from: code, to: code }] }),
  }
}

export const LOG_PAGE = 'EmailLogPage'

export const LogPageSchema = Type.Object(
  {
    events: Type.Array(Type.Ref(LOG_EVENT), {
      description: 'Newest first: by timestamp, then by arrival.',
    }),
    count: Type.Integer({ minimum: 0, description: 'Number of events in this page.' }),
    filters_applied: Type.Unsafe<Record<string, string>>({
      type: 'object',
      additionalProperties: { type: 'string' },
      description:
        'Every filter in effect, as strings, with the resolved window; with `message_id` only that. ' +
        '`limit` and `next_token` are not filters.',
    }),
    next_token: Type.Optional(
      Type.String({
        description:
          'Cursor for the next page, absent on the last page. A page may be short, or empty, and still have one, because a ' +
          'search that exceeds its time budget returns the events found so far. Following the tokens returns every event ' +
          'that was stored when the first page was served exactly once.',
      }),
    ),
  },
  { $id: LOG_PAGE, description: 'One page of the log.' },
)

/** Events are stored as JSON text, so the page is concatenated without parsing them. */
export function toLogPageText({ events, nextToken, ...applied }: ListEventsResult): string {
  const filters = JSON.stringify(toFiltersApplied(applied))
  const token = nextToken === undefined ? '' : `,"next_token":${JSON.stringify(nextToken)}`
  return `{"events":[${events.join(',')}],"count":${events.length},"filters_applied":${filters}${token}}`
}

function toFiltersApplied({ filters, window }: Pick<ListEventsResult, 'filters' | 'window'>): Record<string, string> {
  const { types, recipient, sender, from, subject, codes } = filters
  return {
    ...(types && { type: types.join(',') }),
    ...(recipient !== undefined && { recipient }),
    ...(sender !== undefined && { sender }),
    ...(from !== undefined && { from }),
    ...(subject !== undefined && { subject }),
    ...(codes && { response_code: codes.map(({ from: code }) => String(code)).join(',') }),
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
