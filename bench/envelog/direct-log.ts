/**
 * The store asked in this process, below HTTP: `--direct` and the profile. No other module of the benchmark knows how the
 * store is read.
 */
import type { EmailEvent } from '../../src/events/event.ts'
import type { EventPosition, EventText } from '../../src/events/event-query.ts'
import { type DomainStats, getDomainStats } from '../../src/stats/get-domain-stats.ts'
import type { Storage } from '../../src/storage/storage.ts'
import type { Answer, PreparedQuestion, Question, Side } from '../questions/question.ts'

/** Long enough that every answer is complete. */
const NO_BUDGET_MS = 600_000

interface Found {
  readonly events?: readonly EventText[]
  readonly next?: EventPosition
  readonly stats?: readonly DomainStats[]
}

export class DirectLog implements Side {
  readonly #storage: Pick<Storage, 'events' | 'stats' | 'domains'>
  readonly #tenantId: string
  readonly #domains: ReadonlyMap<string, number>
  readonly #budgetMs: number

  constructor(
    storage: Pick<Storage, 'events' | 'stats' | 'domains'>,
    tenant: { readonly tenantId: string; readonly domains: ReadonlyMap<string, number> },
    budgetMs = NO_BUDGET_MS,
  ) {
    this.#storage = storage
    this.#tenantId = tenant.tenantId
    this.#domains = tenant.domains
    this.#budgetMs = budgetMs
  }

  prepare(question: Question, after?: string): PreparedQuestion<Found> {
    return { ask: () => this.#ask(question, after), read: toAnswer }
  }

  async #ask(question: Question, after: string | undefined): Promise<Found> {
    const { events, stats, domains } = this.#storage
    if (question.kind === 'stats') return { stats: await getDomainStats({ stats, domains }, this.#tenantId) }
    if (question.kind === 'series') throw new Error('series are asked over HTTP')
    const [domainName = ''] = question.domains
    const domainNumber = this.#domains.get(domainName) ?? 0
    if (question.kind === 'message') {
      return { events: await events.listByMessage(domainNumber, domainName, question.messageId) }
    }
    return events.list({
      domainNumber,
      domainName,
      filters: question.filters,
      limit: question.limit,
      ...(after !== undefined && { after: JSON.parse(after) as EventPosition }),
      budgetMs: this.#budgetMs,
    })
  }
}

function toAnswer({ events = [], next, stats }: Found): Answer {
  if (!stats) {
    return { events: events.map((text) => JSON.parse(text) as EmailEvent), next: next && JSON.stringify(next) }
  }
  const counts = stats.map(({ name, counts: { bounce, delivery, reception } }) => [name, [bounce, delivery, reception]])
  return { counts: Object.fromEntries(counts) as Record<string, number[]> }
}
