/** The filters of the log that the listing, the export and the stream share. */
import { Type } from 'typebox'
import { EVENT_TYPES } from '../../../events/event.ts'

const TEXT_LENGTH_MAX = 1024
const VALUES_MAX = 100

const text = (what: string) =>
  Type.Optional(
    Type.String({
      maxLength: TEXT_LENGTH_MAX,
      description: `Events whose ${what} contains this text, literally and ignoring letter case.`,
    }),
  )

const several = (description: string) =>
  Type.Optional(
    Type.Array(Type.String({ maxLength: TEXT_LENGTH_MAX }), {
      maxItems: VALUES_MAX,
      description: `${description} May be repeated; values are combined with OR.`,
    }),
  )

/** All filters but the time window. */
export const EventFilterParameters = Type.Object({
  domain: several('Only events of this sender domain, which must belong to the tenant. Default: all domains.'),
  type: Type.Optional(
    Type.Array(Type.Enum([...EVENT_TYPES], { type: 'string' }), {
      maxItems: VALUES_MAX,
      description: 'Only events of this type. May be repeated; values are combined with OR.',
    }),
  ),
  code: Type.Optional(
    Type.Array(
      Type.String({
        maxLength: TEXT_LENGTH_MAX,
        pattern: '^(?:[0-9]{1,3}|[0-9][xX]{2}|[0-9]{2}[xX]|[0-9]{1,3}-[0-9]{1,3})$',
        'x-pattern-words': 'a code such as 550, a class such as 4xx or 55x, or a range such as 400-499',
      }),
      {
        maxItems: VALUES_MAX,
        description:
          'Only events with this response code: `550`, a class (`4xx`, `55x`) or a range, both ends included (`400-499`). ' +
          'May be repeated; values are combined with OR.',
      },
    ),
  ),
  provider: several('Only events of this receiving provider, exact match.'),
  classification: several('Only events with this `bounce_classification`, exact match.'),
  q: Type.Optional(
    Type.String({
      maxLength: TEXT_LENGTH_MAX,
      description:
        'A search term: events whose recipient, sender, From header or subject contains this text, ignoring letter case, or ' +
        'whose message id equals it.',
    }),
  ),
  recipient: text('recipient address'),
  sender: text('envelope sender'),
  header_from: text('From header'),
  subject: text('subject'),
  message_id: Type.Optional(Type.String({ maxLength: TEXT_LENGTH_MAX, description: 'Only events of this message.' })),
})

/** `from` and `to`: the same as in /v1/stats/series, so that a bar of a chart links to its events. */
export const WindowParameters = Type.Object({
  from: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 40,
      description:
        'Start of the window, inclusive: ISO 8601 with a time zone (`2026-01-15T12:00:00Z`), or a date, which means midnight UTC.',
    }),
  ),
  to: Type.Optional(
    Type.String({ minLength: 1, maxLength: 40, description: 'End of the window, exclusive. Default: now.' }),
  ),
})
