/** Converts the parameters of a request to a query of the log. All throw AppError `invalid_request`, and `forbidden` for a filter that the caller may not use. */
import type { LogExclusions, LogFilters, ShownFields } from '../../../events/log/log-query.ts'
import { requireShown } from '../../../events/log/shown-fields.ts'
import type { Static } from '../../../lib/json-schema.ts'
import { known } from '../../../lib/known.ts'
import { parseIsoTime } from '../iso-time.ts'
import { type AskedFilters, combineFilters } from './combine-filters.ts'
import type { EventFilterParameters, WindowParameters } from './event-filters.wire.ts'
import { toAddress, toCodeRange } from './filter-values.ts'
import { toSearchFilters } from './search-filters.ts'

type Parameters = Static<typeof EventFilterParameters>

export function toFilters(query: Parameters, shown: ShownFields): AskedFilters {
  const { recipient, sender, subject } = query
  const given = {
    ...known({ domains: query.domain, withoutDomains: query.not_domain }),
    filters: known({
      types: query.type,
      codes: query.code?.map(toCodeRange),
      providers: query.provider,
      classifications: query.classification,
      replies: query.reply,
      recipient,
      sender,
      subject,
      from: query.header_from,
      messageId: query.message_id,
      ...toSendingFilters(query, shown),
      without: toExclusions(query, shown),
    }),
  }
  return query.q === undefined ? given : combineFilters(given, toSearchFilters(query.q, shown))
}

function toExclusions(query: Parameters, shown: ShownFields): LogExclusions | undefined {
  const { not_sending_address, not_sending_source, not_sending_pool } = query
  const sending = { sending_address: not_sending_address, sending_source: not_sending_source }
  const without = known({
    types: query.not_type,
    codes: query.not_code?.map(toCodeRange),
    providers: query.not_provider,
    classifications: query.not_classification,
    replies: query.not_reply,
    ...toSendingFilters(known({ ...sending, sending_pool: not_sending_pool }), shown),
  })
  return Object.keys(without).length === 0 ? undefined : without
}

type SendingParameters = Pick<Parameters, 'sending_address' | 'sending_source' | 'sending_pool'>

export function toSendingFilters(
  { sending_address: addresses, sending_source: sendingSources, sending_pool: sendingPools }: SendingParameters,
  shown: ShownFields,
): Pick<LogFilters, 'sendingAddresses' | 'sendingSources' | 'sendingPools'> {
  // Checked first: a caller who may not use a filter gets 403 for invalid values too.
  requireShown(known({ sendingAddresses: addresses, sendingSources, sendingPools }), shown)
  return known({ sendingAddresses: addresses?.map(toAddress), sendingSources, sendingPools })
}

/** `to` is exclusive on the wire; events have whole seconds. */
export function toWindow({ from, to }: Static<typeof WindowParameters>) {
  return known({
    startTimestamp: from === undefined ? undefined : Math.ceil(parseIsoTime('from', from) / 1000),
    endTimestamp: to === undefined ? undefined : Math.ceil(parseIsoTime('to', to) / 1000) - 1,
  })
}
