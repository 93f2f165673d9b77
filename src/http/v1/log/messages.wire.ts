/** GET /v1/messages/{id}: the timeline of one message. */
import { Type } from 'typebox'
import { MESSAGE_OUTCOMES, type MessageOutcome } from '../../../events/log/message-outcome.ts'
import { type LogEvent, v1EventSchema } from './events.wire.ts'

export const MessageParams = Type.Object({ id: Type.String({ description: 'Message id: the `id` of its events.' }) })

export const MessageQuery = Type.Object({
  domain: Type.Optional(
    Type.String({
      maxLength: 1024,
      description: 'The sender domain. Default: all domains of the tenant are searched.',
    }),
  ),
})

/** Members that the timeline adds to an event. */
interface TimelineAdditions {
  /** What happened and what it means, in one plain sentence. */
  readonly explanation: string
  /** Time since the previous event; null for the first. Events have a resolution of one second. */
  readonly sincePreviousMs: number | null
  /** Which delivery attempt to this recipient this was, counting from 1; null if the event is not an attempt. */
  readonly attempt: number | null
  /** Opened or clicked by a machine, such as a mail provider's proxy, not by a person. Absent if unknown. */
  readonly isMachine?: boolean
}
export type TimelineEvent = LogEvent & TimelineAdditions

export const TIMELINE_EVENT = 'TimelineEvent'
export const MESSAGE = 'Message'

export interface Message {
  readonly id: string
  readonly domain: string
  /** Other domains of the tenant that have a message with the same id. Normally absent. */
  readonly alsoIn?: readonly string[]
  readonly recipients: readonly string[]
  readonly sender: string | null
  readonly header_from: string | null
  readonly subject: string | null
  readonly size: number | null
  readonly campaign: string | null
  /** Oldest first. */
  readonly events: readonly TimelineEvent[]
  readonly outcome: MessageOutcome
  /** Only the newest 5000 events are shown; there are older ones. Normally absent. */
  readonly isCut?: boolean
}

/** A function because the operator's brand is part of one field's name. */
export function timelineEventSchema(serviceMessageIdField: string) {
  return Type.Object(
    {
      ...v1EventSchema(serviceMessageIdField).properties,
      explanation: Type.String({ description: 'What happened and what it means, in one plain sentence.' }),
      sincePreviousMs: Type.Unsafe<number | null>({
        type: ['integer', 'null'],
        description: 'Time since the previous event; null for the first. Events have a resolution of one second.',
      }),
      attempt: Type.Unsafe<number | null>({
        type: ['integer', 'null'],
        description:
          'Which delivery attempt to this recipient this was, counting from 1; null if the event is not an attempt.',
      }),
      isMachine: Type.Optional(
        Type.Boolean({
          description:
            "Opened or clicked by a machine, such as a mail provider's proxy, not by a person. Absent if unknown.",
        }),
      ),
    },
    { $id: TIMELINE_EVENT, description: 'An event of the log, with an explanation for the timeline.' },
  )
}

const orNull = (type: 'string' | 'integer', description: string) => Type.Unsafe({ type: [type, 'null'], description })

export const MessageSchema = Type.Object(
  {
    id: Type.String(),
    domain: Type.String({ description: 'Sender domain.' }),
    alsoIn: Type.Optional(
      Type.Array(Type.String(), { description: 'Other domains of the tenant that have a message with the same id.' }),
    ),
    recipients: Type.Array(Type.String(), { description: 'In the order of their first event.' }),
    sender: orNull('string', 'Envelope sender.'),
    header_from: orNull('string', 'Full From header.'),
    subject: orNull('string', 'Subject.'),
    size: orNull('integer', 'Size in bytes.'),
    campaign: orNull('string', 'Campaign.'),
    events: Type.Unsafe<TimelineEvent[]>({
      type: 'array',
      items: { $ref: TIMELINE_EVENT },
      description: 'Oldest first.',
    }),
    outcome: Type.Enum([...MESSAGE_OUTCOMES], {
      type: 'string',
      description:
        'State of the message: `received`, `deferred` (the last attempt failed temporarily), `delivered`, `bounced`, ' +
        '`complained`; `mixed` if it differs between recipients.',
    }),
    isCut: Type.Optional(
      Type.Boolean({ description: 'Present if there are more events: only the newest 5000 are shown.' }),
    ),
  },
  { $id: MESSAGE, description: 'One message.' },
)
