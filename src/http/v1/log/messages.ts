/** GET /v1/messages/{id}: the timeline of one message. */
import type { FastifyInstance } from 'fastify'
import type { EmailEvent } from '../../../events/event.ts'
import { getMessage, type MessageHistory, type TimelineStep } from '../../../events/log/get-message.ts'
import { known } from '../../../lib/known.ts'
import { nextTurn } from '../../../lib/turns/next-turn.ts'
import { MissingDays } from '../../answers/incomplete.ts'
import { sendPieces } from '../../answers/send-pieces.ts'
import type { AppDeps } from '../../app-deps.ts'
import { READ_REFUSALS } from '../../routes/refusals.ts'
import { json, routesOf } from '../../routes/route.ts'
import {
  type Message,
  MessageParams,
  MessageQuery,
  MessageSchema,
  type TimelineEvent,
  timelineEventSchema,
} from './messages.wire.ts'

export function addMessages(scope: FastifyInstance, { storage, serviceMessageIdField }: AppDeps): void {
  scope.addSchema(timelineEventSchema(serviceMessageIdField))

  routesOf(scope, 'v1', { tenant: 'logs' })('GET /v1/messages/:id', {
    operationId: 'getMessage',
    summary: 'Get the timeline of a message',
    description:
      'All retained events of one message, oldest first, each with an explanation in plain words, the time since the ' +
      'previous event, and the number of the delivery attempt.',
    params: MessageParams,
    query: MessageQuery,
    answer: json('The message.', MessageSchema),
    refusals: ['domain_not_found', ...READ_REFUSALS],
    async handle({ caller: { tenantId }, params: { id: messageId }, query: { domain }, reply }) {
      const dependencies = { log: storage.log, domains: storage.control.domains }
      const missing = new MissingDays(storage)
      const history = await getMessage(dependencies, { tenantId, messageId, ...known({ domain }) }).catch((error) => {
        // The message may be on one of these days.
        missing.nameIn(reply)
        throw error
      })
      return sendPieces(missing.nameIn(reply).type('application/json; charset=utf-8'), toPieces(history))
    },
  })
}

/** Events per write; a message may have thousands. */
const EVENTS_PER_PIECE = 500

async function* toPieces({ steps, outcome, isCut, ...history }: MessageHistory): AsyncGenerator<string> {
  yield `${JSON.stringify(toHead(history, steps)).slice(0, -1)},"events":[`
  for (let at = 0; at < steps.length; at += EVENTS_PER_PIECE) {
    const events = steps.slice(at, at + EVENTS_PER_PIECE).map((step) => JSON.stringify(toTimelineEvent(step)))
    yield (at === 0 ? '' : ',') + events.join(',')
    await nextTurn()
  }
  const tail: Pick<Message, 'outcome' | 'isCut'> = { outcome, ...(isCut && { isCut }) }
  yield `],${JSON.stringify(tail).slice(1)}`
}

function toHead(
  { id, domain, alsoIn, recipients }: Pick<MessageHistory, 'id' | 'domain' | 'alsoIn' | 'recipients'>,
  steps: readonly TimelineStep[],
): Omit<Message, 'events' | 'outcome' | 'isCut'> {
  const events = steps.map(({ event }) => event)
  return {
    id,
    domain,
    ...(alsoIn.length > 0 && { alsoIn }),
    recipients,
    sender: firstOf(events, 'sender'),
    header_from: firstOf(events, 'from'),
    subject: firstOf(events, 'subject'),
    size: firstOf(events, 'size'),
    campaign: firstOf(events, 'campaign'),
  }
}

function toTimelineEvent({ event, explanation, sincePreviousMs, attempt }: TimelineStep): TimelineEvent {
  return { ...event, explanation, sincePreviousMs, attempt, ...(event.machine !== undefined && { isMachine: true }) }
}

/** The first known value: not every event has all fields of its message. */
function firstOf<Field extends 'sender' | 'from' | 'subject' | 'size' | 'campaign'>(
  events: readonly EmailEvent[],
  field: Field,
): NonNullable<EmailEvent[Field]> | null {
  return events.find((event) => event[field] !== undefined && event[field] !== null)?.[field] ?? null
}
