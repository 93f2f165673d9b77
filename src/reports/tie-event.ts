/**
 * Ties an event to the message that its reference was signed for: mail servers that parse bounce messages and feedback reports
 * themselves report the return path that a bounce message was sent to. See docs/decisions/0013.
 */
import type { ToldEvent } from '../events/ingest/connector.ts'
import type { Origin } from '../events/ingest/ingest-events.ts'
import { formatSource } from '../events/ingest/quarantine-room.ts'
import { AppError } from '../lib/app-error.ts'
import type { Clock } from '../lib/clock.ts'
import { WorkBudgets, type WorkRate } from '../lib/turns/work-budgets.ts'
import { lowerCase } from './reference.ts'
import type { DeliveryReport } from './report.ts'
import { NAMED_ONLY, TieBudget } from './tie-budget.ts'
import { type Tie, type TieDependencies, tieReport } from './tie-report.ts'

export type TieEvent = (told: ToldEvent, origin: Origin) => Promise<ToldEvent>

interface EventTieDependencies extends Omit<TieDependencies, 'allowsUnsigned'> {
  readonly clock: Clock
  /** Default: EVENT_TIE_WORK. */
  readonly work?: WorkRate
}

/**
 * Processor time for the references of one source. A genuine one takes a fraction of a millisecond, a forged one that names a
 * large mailing about thirty: whoever writes to a mail server can send them, and a body has room for thousands.
 */
const EVENT_TIE_WORK = { burstMs: 10_000, perMinuteMs: 6000 } as const

/**
 * Throws AppError `invalid_payload` if the reference was not signed here, or does not stand for the recipient: the record is
 * quarantined, and may be valid once the log has the message. With a tenant, the domains of all others are unknown: otherwise
 * the reason would tell who else received a message. A source that has used up its processor time gets no search for recipients
 * that a report does not name.
 */
export function createEventTies({
  clock,
  work: rate = EVENT_TIE_WORK,
  ...dependencies
}: EventTieDependencies): TieEvent {
  const work = new WorkBudgets(rate)
  return async (told, { tenantId, source }) => {
    const { reference } = told
    if (reference === undefined) return told
    const fields = told.event as Readonly<Record<string, unknown>>
    const recipient = String(fields['recipient'])
    const domains = tenantId === undefined ? dependencies.domains : domainsOf(dependencies.domains, tenantId)
    const spender = formatSource(source)
    const isSpent = work.isSpent(spender, clock())
    const budget = new TieBudget(isSpent ? NAMED_ONLY : undefined)
    const report = reportOn(reference, recipient)
    const result = await tieReport({ ...dependencies, domains }, report, budget)
    work.charge(spender, result.spentMs, clock())
    if (!('tie' in result))
      throw new AppError(
        'invalid_payload',
        isSpent
          ? 'the reference in the report was not checked for all recipients of the message: too many of this source could not be verified; replay it later'
          : 'the reference in the report was not signed here, or not for this recipient',
      )
    const { tie } = result
    const proven = findProven(tie, recipient)
    if (proven === undefined)
      throw new AppError('invalid_payload', 'recipient: not a known recipient of the message that the report is about')
    return { event: { ...fields, id: tie.messageId, domain_name: tie.domain, recipient: proven } }
  }
}

function domainsOf(domains: TieDependencies['domains'], tenantId: string): TieDependencies['domains'] {
  return {
    async findByName(name) {
      const found = await domains.findByName(name)
      return found?.tenantId === tenantId ? found : undefined
    },
  }
}

function reportOn(reference: string, recipient: string): DeliveryReport {
  const outcomes = [{ addresses: [recipient], action: 'failed' }] as const
  // A return path or the value of a header; each is searched in its own way.
  return { kind: 'delivery', sentTo: [reference], times: [], returned: { to: [], references: [reference] }, outcomes }
}

/** As for a report with a single recipient: the one that the reference was signed for, or one that the log knows. */
function findProven({ recipient, known: { recipients, isComplete } }: Tie, reported: string): string | undefined {
  const [only] = recipients.values()
  return recipient ?? recipients.get(lowerCase(reported)) ?? (isComplete && recipients.size === 1 ? only : undefined)
}
