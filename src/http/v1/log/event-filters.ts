/** Converts the parameters of a request to a query of the log. All throw AppError `invalid_request`. */
import type { AskedLog } from '../../../events/log/cursor.ts'
import type { CodeRange } from '../../../events/log/log-query.ts'
import { AppError } from '../../../lib/app-error.ts'
import type { Static } from '../../../lib/json-schema.ts'
import { known } from '../../../lib/known.ts'
import { parseIsoTime } from '../iso-time.ts'
import type { EventFilterParameters, WindowParameters } from './event-filters.wire.ts'

export function toFilters(query: Static<typeof EventFilterParameters>): Pick<AskedLog, 'domains' | 'filters'> {
  const { recipient, sender, subject } = query
  return {
    ...known({ domains: query.domain }),
    filters: known({
      types: query.type,
      codes: query.code?.map(toCodeRange),
      providers: query.provider,
      classifications: query.classification,
      anyText: query.q,
      recipient,
      sender,
      subject,
      from: query.header_from,
      messageId: query.message_id,
    }),
  }
}

/** `to` is exclusive on the wire; events have whole seconds. */
export function toWindow({ from, to }: Static<typeof WindowParameters>) {
  return known({
    startTimestamp: from === undefined ? undefined : Math.ceil(parseIsoTime('from', from) / 1000),
    endTimestamp: to === undefined ? undefined : Math.ceil(parseIsoTime('to', to) / 1000) - 1,
  })
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
