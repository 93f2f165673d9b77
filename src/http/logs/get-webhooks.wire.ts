/** Section 4.1 of the interface: the log listing's parameters and its answer. */
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
        `Events whose ${what} contains this text. Taken literally, letter case ignored: \`%\`, \`_\`, \`*\` and quotes ` +
        'have no meaning. An empty text counts as not sent. Mind that `+` in a URL stands for a space; write `%2B`.',
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
      'Sender domain; must belong to the tenant of the key. Letter case and one trailing dot are ignored, ' +
      'internationalized names are compared in their ASCII form. At most 253 characters.',
  }),
})

const MessageIdQuery = Type.Object({
  message_id: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        'All events of one message, newest first, in one page. When set, all other parameters are ignored, invalid ones ' +
        'too. An unknown id is answered with an empty page.',
    }),
  ),
})

const FilterQuery = Type.Object({
  type: Type.Optional(
    Type.Enum([...EVENT_TYPES], {
      type: 'string',
      description: 'One event type, exact match. Several cannot be combined.',
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
        'Cursor from a previous answer, for the next page. It carries the filters and the window of the first page: send ' +
        'it alone or with the same filters; other values are refused. `limit` may change. Valid for 24 hours. Empty ' +
        'counts as not sent.',
    }),
  ),
})

export const LogQuery = Type.Object({
  ...FilterQuery.properties,
  ...MessageIdQuery.properties,
  ...PageQuery.properties,
})

/** The id of the message that is asked for: then nothing else counts. Throws AppError `invalid_request`. */
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
        'Every filter in force, as strings, with the window as it was resolved; with `message_id` only that. ' +
        '`limit` and `next_token` are no filters.',
    }),
    next_token: Type.Optional(
      Type.String({
        description:
          'Cursor for the next page. Absent exactly when the end is reached: a page may be short, or empty, and have one, ' +
          'because a search that takes too long answers with what it found so far. An event that was there when the first ' +
          'page was served is returned exactly once by following the tokens.',
      }),
    ),
  },
  { $id: LOG_PAGE, description: 'One page of the log.' },
)

/** Events are JSON texts already: the page is put together as text, nothing is parsed and written again. */
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

/** All events of a message in one page, whose length is not known before the last of them is read. */
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
