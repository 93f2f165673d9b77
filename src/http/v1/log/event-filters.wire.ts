/** The filters of the log that the listing, the export and the stream share. */
import { EVENT_TYPES } from '../../../events/event.ts'
import { MASK_LENGTH_MAX } from '../../../events/replies/mask-reply.ts'
import * as t from '../../../lib/json-schema.ts'

const TEXT = { maxLength: 1024 }

const contained = (what: string) =>
  t.optional(t.text(`Events whose ${what} contains this text, literally and ignoring letter case.`, TEXT))

const several = <T>(values: t.Schema<T>, description: string) =>
  t.optional(t.list(values, `${description} May be repeated; values are combined with OR.`, { maxItems: 100 }))

/** An event without a value is not left out. */
const not = <T>(values: t.Schema<T>, description: string) =>
  t.optional(t.list(values, `${description} May be repeated.`, { maxItems: 100 }))

const Code = t.text(undefined, {
  ...TEXT,
  pattern: '^(?:[0-9]{1,3}|[0-9][xX]{2}|[0-9]{2}[xX]|[0-9]{1,3}-[0-9]{1,3})$',
  'x-pattern-words': 'a code such as 550, a class such as 4xx or 55x, or a range such as 400-499',
})

/** As long as a masked text can be. */
const Reply = t.text(undefined, { minLength: 1, maxLength: MASK_LENGTH_MAX })

const SENDING_ONLY = '403 for a tenant unless the operator shows tenants where messages were sent from.'

const SEARCH_DESCRIPTION =
  'A search as people type it. Each word must occur in the recipient, sender, From header or subject, ignoring letter case, or ' +
  'be the message id; quotation marks keep words together. `Anna <anna@example.org>`, `mailto:` links and Message-IDs can be ' +
  'pasted. Operators: `to:`, `from:` (From header or envelope sender), `sender:`, `subject:` and `answer:` (response of the ' +
  'receiving server) search in one field; `type:`, `code:`, `domain:`, `provider:`, `class:`, `id:`, `ip:`, `source:` and `pool:` ' +
  'take exact values, several separated by commas. `-` before a term excludes the events to which it applies: ' +
  '`anna code:5xx -type:Opened -subject:"out of office"`. Names that are not operators are words. At most 20 terms.'

/** All filters but the time window. */
export const EventFilterParameters = t.object({
  domain: several(
    t.text(undefined, TEXT),
    'Only events of this sender domain, which must belong to the tenant. Default: all domains.',
  ),
  type: several(t.oneOf(EVENT_TYPES), 'Only events of this type.'),
  code: several(
    Code,
    'Only events with this response code: `550`, a class (`4xx`, `55x`) or a range, both ends included (`400-499`).',
  ),
  provider: several(t.text(undefined, TEXT), 'Only events of this receiving provider, exact match.'),
  classification: several(t.text(undefined, TEXT), 'Only events with this `bounce_classification`, exact match.'),
  reply: several(
    Reply,
    'Only events whose server response is this text once its variable parts (addresses, ids, numbers) are masked as `*`, exact match: a ' +
      'value of the facet `reply`.',
  ),
  sending_address: several(
    t.text(undefined, TEXT),
    `Only events of messages that were sent from this IP address, in any spelling. ${SENDING_ONLY}`,
  ),
  sending_source: several(
    t.text(undefined, TEXT),
    `Only events of messages that were sent from this source, exact match. ${SENDING_ONLY}`,
  ),
  sending_pool: several(
    t.text(undefined, TEXT),
    `Only events of messages that were sent from this pool, exact match. ${SENDING_ONLY}`,
  ),
  not_domain: not(t.text(undefined, TEXT), 'No events of this sender domain.'),
  not_type: not(t.oneOf(EVENT_TYPES), 'No events of this type.'),
  not_code: not(Code, 'No events with this response code, a class or a range as with `code`.'),
  not_provider: not(t.text(undefined, TEXT), 'No events of this receiving provider, exact match.'),
  not_classification: not(t.text(undefined, TEXT), 'No events with this `bounce_classification`, exact match.'),
  not_reply: not(Reply, 'No events with this masked server response, exact match.'),
  not_sending_address: not(t.text(undefined, TEXT), `No events of messages from this IP address. ${SENDING_ONLY}`),
  not_sending_source: not(t.text(undefined, TEXT), `No events of messages from this source. ${SENDING_ONLY}`),
  not_sending_pool: not(t.text(undefined, TEXT), `No events of messages from this pool. ${SENDING_ONLY}`),
  q: t.optional(t.text(SEARCH_DESCRIPTION, TEXT)),
  recipient: contained('recipient address'),
  sender: contained('envelope sender'),
  header_from: contained('From header'),
  subject: contained('subject'),
  message_id: t.optional(t.text('Only events of this message.', TEXT)),
})

const TIME = { minLength: 1, maxLength: 40 }

/** `from` and `to`: the same as in /v1/stats/series, so that a bar of a chart links to its events. */
export const WindowParameters = t.object({
  from: t.optional(
    t.text(
      'Start of the window, inclusive: ISO 8601 with a time zone (`2026-01-15T12:00:00Z`), or a date, which means midnight UTC.',
      TIME,
    ),
  ),
  to: t.optional(t.text('End of the window, exclusive. Default: now.', TIME)),
})
