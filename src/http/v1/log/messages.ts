/** GET /v1/messages/{id}: the timeline of one message. */
import type { FastifyInstance } from 'fastify'
import type { EmailEvent } from '../../../events/event.ts'
import { getMessage, type MessageHistory, type TimelineStep } from '../../../events/log/get-message.ts'
import { nextTurn } from '../../../lib/turns/next-turn.ts'
import { tenantOf } from '../../access/access.ts'
import { sendPieces } from '../../answers/send-pieces.ts'
import type { AppDeps } from '../../app-deps.ts'
import { jsonResponse, refusals, WITH_SESSION } from '../../docs/openapi.ts'
import { parseQuery } from '../../request/query-parameters.ts'
import {
  MESSAGE,
  type Message,
  MessageParams,
  MessageQuery,
  MessageSchema,
  type TimelineEvent,
  timelineEventSchema,
} from './messages.wire.ts'

export function addMessages(scope: FastifyInstance, { storage, serviceMessageIdField }: AppDeps): void {
  scope.addSchema(timelineEventSchema(serviceMessageIdField))
  scope.addSchema(MessageSchema)
  scope.get<{ Params: { id: string } }>(
    '/v1/messages/:id',
    {
      config: { surface: 'v1', access: { tenant: 'logs' } },
      schema: {
        operationId: 'getMessage',
        summary: 'Get the timeline of a message',
        description:
          'All retained events of one message, oldest first, each with an explanation in plain words, the time since the ' +
          'previous event, and the number of the delivery attempt.',
        params: MessageParams,
        querystring: MessageQuery,
        response: {
          200: jsonResponse('The message.', MESSAGE),
          ...refusals(...WITH_SESSION, 'invalid_request', 'domain_not_found', 'not_found'),
        },
      },
    },
    async (request, reply) => {
      const { tenantId } = tenantOf(request)
      const { domain } = parseQuery(MessageQuery, request.query)
      const asked = { tenantId, messageId: request.params.id, ...(domain !== undefined && { domain }) }
      const history = await getMessage({ log: storage.log, domains: storage.control.domains }, asked)
      return sendPieces(reply.type('application/json; charset=utf-8'), toPieces(history))
    },
  )
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
