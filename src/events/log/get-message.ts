/** Use case: what happened to one message, oldest first, in plain words. */
import { AppError } from '../../lib/app-error.ts'
import { nextTurn } from '../../lib/turns/next-turn.ts'
import type { EmailEvent, EventExtension, EventType } from '../event.ts'
import type { EventLog } from './event-log.ts'
import { type Explanation, explainEvent } from './explain-event.ts'
import { listMessagePages } from './list-pages.ts'
import type { ShownFields } from './log-query.ts'
import { judgeMessage, type MessageOutcome } from './message-outcome.ts'
import { findDomainsFor, type SearchLogDeps } from './search-log.ts'

export interface GetMessageDeps extends Pick<SearchLogDeps, 'domains' | 'findDomains'> {
  readonly log: Pick<EventLog, 'listMessage'>
}

export interface GetMessageRequest {
  readonly tenantId: string
  readonly messageId: string
  /** Absent: all domains of the tenant are asked. */
  readonly domain?: string
  /** Default: the least. */
  readonly shown?: ShownFields
}

type ShownEvent = EmailEvent & EventExtension

export interface TimelineStep {
  readonly event: ShownEvent
  readonly explanation: Explanation
  /** Since the event before; null for the first. */
  readonly sincePreviousMs: number | null
  /** Which delivery attempt to this recipient this was, counting from 1; null if the event is not an attempt. */
  readonly attempt: number | null
}

export interface MessageHistory {
  readonly id: string
  readonly domain: string
  /** Other domains that have messages of the same id. */
  readonly alsoIn: readonly string[]
  readonly recipients: readonly string[]
  readonly steps: readonly TimelineStep[]
  readonly outcome: MessageOutcome
  /** There are more events, older ones. */
  readonly isCut: boolean
}

/** A message with more events is a mailing, which is better listed. */
const EVENTS_MAX = 5000

/** Throws AppError `not_found`; another tenant's message is not found either. */
export async function getMessage(deps: GetMessageDeps, request: GetMessageRequest): Promise<MessageHistory> {
  const { tenantId, messageId: id, shown } = request
  const domains = await findDomainsFor(
    deps,
    tenantId,
  )(request.domain === undefined ? {} : { domains: [request.domain] })
  const found: ShownEvent[] = []
  for await (const texts of listMessagePages(deps.log, domains, id, tenantId, shown)) {
    for (const text of texts) found.push(JSON.parse(text) as ShownEvent)
    if (found.length > EVENTS_MAX) break
  }
  await nextTurn()
  const isCut = found.length > EVENTS_MAX
  const byDomain = Map.groupBy(found.slice(0, EVENTS_MAX), ({ domain_name }) => domain_name)
  // The newest event comes first, so its domain does.
  const [newest, ...others] = byDomain
  if (!newest) throw new AppError('not_found', 'Message not found')
  const [domain, newestFirst] = newest
  const events = oldestFirst(newestFirst)
  return {
    id,
    domain,
    alsoIn: others.map(([name]) => name),
    recipients: [...new Set(events.map(({ recipient }) => recipient))],
    steps: await toSteps(events),
    outcome: judgeMessage(events),
    isCut,
  }
}

/** Events have whole seconds: within one they are in order of arrival, except that the reception comes first. */
function oldestFirst(newestFirst: readonly ShownEvent[]): readonly ShownEvent[] {
  const isReceived = ({ type }: EmailEvent) => Number(type !== 'Reception')
  return newestFirst.toReversed().sort((a, b) => a.timestamp - b.timestamp || isReceived(a) - isReceived(b))
}

const ATTEMPTS: readonly EventType[] = ['Delivery', 'TransientFailure', 'Bounce']

/** Events explained at a time: the reply of each is read, and other requests are served in between. */
const EVENTS_PER_TURN = 200

async function toSteps(events: readonly ShownEvent[]): Promise<readonly TimelineStep[]> {
  const attempts = new Map<string, number>()
  const steps: TimelineStep[] = []
  for (const [index, event] of events.entries()) {
    const before = events[index - 1]
    steps.push({
      event,
      explanation: explainEvent(event),
      sincePreviousMs: before ? (event.timestamp - before.timestamp) * 1000 : null,
      attempt: ATTEMPTS.includes(event.type) ? countAttempt(attempts, event) : null,
    })
    if (steps.length % EVENTS_PER_TURN === 0) await nextTurn()
  }
  return steps
}

/** Some engines count from 0, and old attempts may have been removed: the larger number is right. */
function countAttempt(attempts: Map<string, number>, { recipient, num_attempts: reported = 1 }: EmailEvent): number {
  const attempt = Math.max((attempts.get(recipient) ?? 0) + 1, reported)
  attempts.set(recipient, attempt)
  return attempt
}
