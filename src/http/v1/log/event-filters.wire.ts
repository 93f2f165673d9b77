/** The filters of the log that the listing, the export and the stream share. */
import { EVENT_TYPES } from '../../../events/event.ts'
import * as t from '../../../lib/json-schema.ts'

const TEXT = { maxLength: 1024 }

const contained = (what: string) =>
  t.optional(t.text(`Events whose ${what} contains this text, literally and ignoring letter case.`, TEXT))

const several = <T>(values: t.Schema<T>, description: string) =>
  t.optional(t.list(values, `${description} May be repeated; values are combined with OR.`, { maxItems: 100 }))

const Code = t.text(undefined, {
  ...TEXT,
  pattern: '^(?:[0-9]{1,3}|[0-9][xX]{2}|[0-9]{2}[xX]|[0-9]{1,3}-[0-9]{1,3})$',
  'x-pattern-words': 'a code such as 550, a class such as 4xx or 55x, or a range such as 400-499',
})

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
  q: t.optional(
    t.text(
      'A search term: events whose recipient, sender, From header or subject contains this text, ignoring letter case, or ' +
        'whose message id equals it.',
      TEXT,
    ),
  ),
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
