/** GET /v1/messages/{id}: the timeline of one message. GET /v1/admin/messages/{id}: of any tenant's. */
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { EmailEvent } from '../../../events/event.ts'
import {
  type GetMessageDeps,
  type GetMessageRequest,
  getMessage,
  type MessageHistory,
  type TimelineStep,
} from '../../../events/log/get-message.ts'
import { type AskedDomains, findAnyDomains } from '../../../events/log/search-log.ts'
import { maskReply } from '../../../events/replies/mask-reply.ts'
import { known } from '../../../lib/known.ts'
import { nextTurn } from '../../../lib/turns/next-turn.ts'
import { MissingDays } from '../../answers/incomplete.ts'
import { sendPieces } from '../../answers/send-pieces.ts'
import type { AppDeps } from '../../app-deps.ts'
import { READ_REFUSALS } from '../../routes/refusals.ts'
import { json, routesOf } from '../../routes/route.ts'
import {
  AnyMessageQuery,
  type Message,
  MessageParams,
  MessageQuery,
  MessageSchema,
  type TimelineEvent,
  timelineEventSchema,
} from './messages.wire.ts'
import { findReadTenants, OPERATOR_READER, shownToTenants } from './readers.ts'

export function addMessages(scope: FastifyInstance, deps: AppDeps): void {
  const { storage } = deps
  const dependencies = { log: storage.log, domains: storage.control.domains }
  scope.addSchema(timelineEventSchema(deps.serviceMessageIdField))

  async function answer(
    readable: GetMessageDeps,
    asked: GetMessageRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const missing = new MissingDays(storage)
    const history = await getMessage(readable, asked).catch((error) => {
      // The message may be on one of these days.
      missing.nameIn(reply)
      throw error
    })
    return sendPieces(missing.nameIn(reply).type('application/json; charset=utf-8'), toPieces(history))
  }

  routesOf(scope, 'v1', { tenant: 'logs' })('GET /v1/messages/:id', {
    operationId: 'getMessage',
    summary: 'Get the timeline of a message',
    description:
      'All retained events of one message, oldest first, each with an explanation in plain words, who has to act, the ' +
      'time since the previous event, and the number of the delivery attempt.',
    params: MessageParams,
    query: MessageQuery,
    answer: json('The message.', MessageSchema),
    refusals: ['domain_not_found', ...READ_REFUSALS],
    async handle({ caller: { tenantId }, params: { id: messageId }, query: { domain }, reply }) {
      return answer(dependencies, { tenantId, messageId, shown: shownToTenants(deps), ...known({ domain }) }, reply)
    },
  })

  routesOf(scope, 'v1', { operator: 'read' })('GET /v1/admin/messages/:id', {
    operationId: 'getAnyMessage',
    summary: 'Get the timeline of a message of any tenant',
    description: 'Like `GET /v1/messages/{id}`, for the domains of all tenants or of those named by `tenant`.',
    params: MessageParams,
    query: AnyMessageQuery,
    audit: 'reading',
    answer: json('The message.', MessageSchema),
    refusals: ['domain_not_found', ...READ_REFUSALS],
    async handle({ params: { id: messageId }, query: { tenant, domain }, about, reply }) {
      const named = known({ tenant, domain: domain === undefined ? undefined : [domain] })
      const tenants = await findReadTenants(deps, named, about)
      const findDomains = (asked: AskedDomains) => findAnyDomains(storage.control, { ...asked, ...tenants })
      const asked = { tenantId: OPERATOR_READER, messageId, shown: 'sending', ...known({ domain }) } as const
      return answer({ ...dependencies, findDomains }, asked, reply)
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
  const { text, actor } = explanation
  const machine = event.machine !== undefined && { isMachine: true }
  const reply = maskReply(event.response_content ?? '')
  return { ...event, explanation: text, actor, sincePreviousMs, attempt, ...(reply !== '' && { reply }), ...machine }
}

/** The first known value: not every event has all fields of its message. */
function firstOf<Field extends 'sender' | 'from' | 'subject' | 'size' | 'campaign'>(
  events: readonly EmailEvent[],
  field: Field,
): NonNullable<EmailEvent[Field]> | null {
  return events.find((event) => event[field] !== undefined && event[field] !== null)?.[field] ?? null
}
