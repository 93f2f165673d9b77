/** GET /v1/messages/{id}: the timeline of one message. */
import { ACTORS } from '../../../classification/meaning/failure-meanings.ts'
import { MESSAGE_OUTCOMES } from '../../../events/log/message-outcome.ts'
import * as t from '../../../lib/json-schema.ts'
import { AnyEventsQuery, type LogEvent, v1EventSchema } from './events.wire.ts'

export const MessageParams = t.object({ id: t.text('Message id: the `id` of its events.') })

export const MessageQuery = t.object({
  domain: t.optional(
    t.text('The sender domain. Default: all domains of the tenant are searched.', { maxLength: 1024 }),
  ),
})

/** For the operator. */
export const AnyMessageQuery = t.object({
  tenant: AnyEventsQuery.properties.tenant,
  domain: t.optional(
    t.text('The sender domain. Default: all domains of the tenants are searched.', { maxLength: 1024 }),
  ),
})

/** Members that the timeline adds to an event. */
const TimelineAdditions = t.object({
  explanation: t.text(
    'What happened, why, and what to do, in plain sentences. Made from type, class, codes and text together; less ' +
      'specific where they contradict each other.',
  ),
  actor: t.oneOf(
    ACTORS,
    'Who has to act: the `sender` of the message, the `operator` of the sending platform, the `receiver` (the recipient or ' +
      "the recipient's provider), or `nobody`, because it will be retried or because nothing went wrong.",
  ),
  sincePreviousMs: t.orNull(
    'integer',
    'Time since the previous event; null for the first. Events have a resolution of one second.',
  ),
  attempt: t.orNull(
    'integer',
    'Which delivery attempt to this recipient this was, counting from 1; null if the event is not an attempt.',
  ),
  reply: t.optional(
    t.text(
      'The response with its variable parts (addresses, ids, numbers) masked as `*`: a value of the filter `reply`. Absent without a response.',
    ),
  ),
  isMachine: t.optional(
    t.flag("Opened or clicked by a machine, such as a mail provider's proxy, not by a person. Absent if unknown."),
  ),
})
export type TimelineEvent = LogEvent & t.Static<typeof TimelineAdditions>

const TIMELINE_EVENT = 'TimelineEvent'

/** A function because the operator's brand is part of one field's name. */
export function timelineEventSchema(serviceMessageIdField: string) {
  return t.named(TIMELINE_EVENT, 'An event of the log, with an explanation for the timeline.', {
    ...v1EventSchema(serviceMessageIdField).properties,
    ...TimelineAdditions.properties,
  })
}

export const MessageSchema = t.named('Message', 'One message.', {
  id: t.text(),
  domain: t.text('Sender domain.'),
  alsoIn: t.optional(t.list(t.text(), 'Other domains of the tenant that have a message with the same id.')),
  recipients: t.list(t.text(), 'In the order of their first event.'),
  sender: t.orNull('string', 'Envelope sender.'),
  header_from: t.orNull('string', 'Full From header.'),
  subject: t.orNull('string', 'Subject.'),
  size: t.orNull('integer', 'Size in bytes.'),
  campaign: t.orNull('string', 'Campaign.'),
  events: t.raw<readonly TimelineEvent[]>({ type: 'array', items: { $ref: TIMELINE_EVENT } }, 'Oldest first.'),
  outcome: t.oneOf(
    MESSAGE_OUTCOMES,
    'State of the message: `received`, `deferred` (the last attempt failed temporarily), `delivered`, `bounced`, ' +
      '`complained`; `mixed` if it differs between recipients.',
  ),
  isCut: t.optional(t.flag('Present if there are more events: only the newest 5000 are shown.')),
})
export type Message = t.Static<typeof MessageSchema>
