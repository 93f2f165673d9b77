/** GET /v1/messages/{id}: what happened to one message, from its reception to its end. */
import { Type } from 'typebox'
import { MESSAGE_OUTCOMES, type MessageOutcome } from '../../../events/log/message-outcome.ts'
import { type LogEvent, v1EventSchema } from './events.wire.ts'

export const MessageParams = Type.Object({ id: Type.String({ description: 'Message id: the `id` of its events.' }) })

export const MessageQuery = Type.Object({
  domain: Type.Optional(
    Type.String({
      maxLength: 1024,
      description: 'The sender domain. Without it all domains of the tenant are asked.',
    }),
  ),
})

/** What the timeline adds to an event. */
interface TimelineAdditions {
  /** One plain sentence: what happened, and what it means. */
  readonly explanation: string
  /** Since the event before; null for the first. Events have whole seconds. */
  readonly sincePreviousMs: number | null
  /** The how-manieth attempt to deliver to this recipient it was; null for what is no attempt. */
  readonly attempt: number | null
  /** Opened or clicked by a machine, such as a mail provider's proxy, and not by a person. Absent where that is not known. */
  readonly isMachine?: boolean
}
export type TimelineEvent = LogEvent & TimelineAdditions

export const TIMELINE_EVENT = 'TimelineEvent'
export const MESSAGE = 'Message'

export interface Message {
  readonly id: string
  readonly domain: string
  /** Other domains of the tenant with messages of the same id. Absent where there is none, as it should be. */
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
  /** There are more events, older ones: only the newest 5000 are shown. Absent as a rule. */
  readonly isCut?: boolean
}

/** Made once the operator's brand is known: it is part of one field's name. */
export function timelineEventSchema(serviceMessageIdField: string) {
  return Type.Object(
    {
      ...v1EventSchema(serviceMessageIdField).properties,
      explanation: Type.String({ description: 'One plain sentence: what happened, and what it means.' }),
      sincePreviousMs: Type.Unsafe<number | null>({
        type: ['integer', 'null'],
        description: 'Time since the event before; null for the first. Events have whole seconds.',
      }),
      attempt: Type.Unsafe<number | null>({
        type: ['integer', 'null'],
        description: 'The how-manieth attempt to deliver to this recipient it was; null for what is no attempt.',
      }),
      isMachine: Type.Optional(
        Type.Boolean({
          description: "Opened or clicked by a machine, such as a provider's proxy. Absent where that is not known.",
        }),
      ),
    },
    { $id: TIMELINE_EVENT, description: 'An event of the log, with what a reader of the timeline wants to know.' },
  )
}

const orNull = (type: 'string' | 'integer', description: string) => Type.Unsafe({ type: [type, 'null'], description })

export const MessageSchema = Type.Object(
  {
    id: Type.String(),
    domain: Type.String({ description: 'Sender domain.' }),
    alsoIn: Type.Optional(
      Type.Array(Type.String(), { description: 'Other domains of the tenant that have messages of the same id.' }),
    ),
    recipients: Type.Array(Type.String(), { description: 'In the order in which they first occur.' }),
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
        'Where it stands: `received`, `deferred` (the last attempt failed for now), `delivered`, `bounced`, `complained`; ' +
        '`mixed` where it is not the same for all recipients.',
    }),
    isCut: Type.Optional(
      Type.Boolean({ description: 'Present where there are more events: only the newest 5000 are shown.' }),
    ),
  },
  { $id: MESSAGE, description: 'One message.' },
)
