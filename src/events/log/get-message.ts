/** Use case: what happened to one message, oldest first, in plain words. */
import type { DomainStore } from '../../domains/domain-store.ts'
import { AppError } from '../../lib/app-error.ts'
import { nextTurn } from '../../lib/turns/next-turn.ts'
import type { EmailEvent, EventExtension, EventType } from '../event.ts'
import type { EventLog } from './event-log.ts'
import { explainEvent } from './explain-event.ts'
import { listMessagePages } from './list-pages.ts'
import { judgeMessage, type MessageOutcome } from './message-outcome.ts'
import { findLogDomains } from './search-log.ts'

export interface GetMessageDeps {
  readonly log: Pick<EventLog, 'listMessage'>
  readonly domains: Pick<DomainStore, 'findByName' | 'listNames'>
}

export interface GetMessageRequest {
  readonly tenantId: string
  readonly messageId: string
  /** Absent: all domains of the tenant are asked. */
  readonly domain?: string
}

type ShownEvent = EmailEvent & EventExtension

export interface TimelineStep {
  readonly event: ShownEvent
  readonly explanation: string
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
  const { tenantId, messageId: id } = request
  const domains = await findLogDomains(
    deps.domains,
    tenantId,
    request.domain === undefined ? undefined : [request.domain],
  )
  const found: ShownEvent[] = []
  for await (const texts of listMessagePages(deps.log, domains, id, tenantId)) {
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
    steps: toSteps(events),
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

function toSteps(events: readonly ShownEvent[]): readonly TimelineStep[] {
  const attempts = new Map<string, number>()
  return events.map((event, index) => {
    const before = events[index - 1]
    return {
      event,
      explanation: explainEvent(event),
      sincePreviousMs: before ? (event.timestamp - before.timestamp) * 1000 : null,
      attempt: ATTEMPTS.includes(event.type) ? countAttempt(attempts, event) : null,
    }
  })
}

/** Some engines count from 0, and old attempts may have been removed: the larger number is right. */
function countAttempt(attempts: Map<string, number>, { recipient, num_attempts: reported = 0 }: EmailEvent): number {
  const attempt = Math.max((attempts.get(recipient) ?? 0) + 1, reported)
  attempts.set(recipient, attempt)
  return attempt
}
