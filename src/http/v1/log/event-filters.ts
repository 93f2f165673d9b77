/** Converts the parameters of a request to a query of the log. */
import type { Static } from 'typebox'
import type { AskedLog } from '../../../events/log/cursor.ts'
import type { CodeRange, LogFilters } from '../../../events/log/log-query.ts'
import { AppError } from '../../../lib/app-error.ts'
import { parseQuery } from '../../request/query-parameters.ts'
import { parseIsoTime } from '../iso-time.ts'
import { EventFilterParameters, WindowParameters } from './event-filters.wire.ts'

/** Throws AppError `invalid_request`. */
export function parseAskedLog(query: unknown): AskedLog {
  return { ...parseFilters(query), ...parseWindow(query) }
}

/** The same without a window. */
export function parseFilters(query: unknown): Pick<AskedLog, 'domains' | 'filters'> {
  const { domain, ...filters } = parseQuery(EventFilterParameters, query)
  return { ...(domain && { domains: domain }), filters: toLogFilters(filters) }
}

/** `to` is exclusive on the wire; events have whole seconds. */
export function parseWindow(query: unknown): Pick<AskedLog, 'startTimestamp' | 'endTimestamp'> {
  const { from, to } = parseQuery(WindowParameters, query)
  const fromMs = from === undefined ? undefined : parseIsoTime('from', from)
  const toMs = to === undefined ? undefined : parseIsoTime('to', to)
  return {
    ...(fromMs !== undefined && { startTimestamp: Math.ceil(fromMs / 1000) }),
    ...(toMs !== undefined && { endTimestamp: Math.ceil(toMs / 1000) - 1 }),
  }
}

function toLogFilters(filters: Omit<Static<typeof EventFilterParameters>, 'domain'>): LogFilters {
  const { type, code, provider, classification, q, header_from: from, message_id: messageId, ...texts } = filters
  return {
    ...(type && { types: type }),
    ...(code && { codes: code.map(toCodeRange) }),
    ...(provider && { providers: provider }),
    ...(classification && { classifications: classification }),
    ...(q !== undefined && { anyText: q }),
    ...texts,
    ...(from !== undefined && { from }),
    ...(messageId !== undefined && { messageId }),
  }
}

/** `550`, `4xx`, `55x` or `400-499`. */
function toCodeRange(text: string): CodeRange {
  const [first = '', last = first] = text.toLowerCase().split('-')
  const range = { from: Number(first.replaceAll('x', '0')), to: Number(last.replaceAll('x', '9')) }
  if (range.from <= range.to) return range
  throw new AppError(
    'invalid_request',
    `Invalid code: the range ${text} ends before it begins. Allowed: a range such as 400-499.`,
  )
}
