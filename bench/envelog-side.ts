/** Our side of the comparison: the store's own calls, below HTTP. */
import type { EmailEvent } from '../src/events/event.ts'
import type { EventFilters, EventPage, EventPosition, EventText } from '../src/events/event-query.ts'
import type { EventStore } from '../src/events/event-store.ts'
import { PAGE_EVENTS, type PreparedQuestion, type Question, type Side, type SideAnswer } from './question.ts'

/** Long enough that every answer is complete. */
const NO_BUDGET_MS = 600_000

export class EnvelogSide implements Side {
  readonly #events: EventStore
  readonly #domains: ReadonlyMap<string, number>

  constructor(events: EventStore, domains: ReadonlyMap<string, number>) {
    this.#events = events
    this.#domains = domains
  }

  async prepare(question: Question): Promise<PreparedQuestion<EventPage>> {
    const { domainName } = question
    if (question.kind === 'message') {
      const { messageId } = question
      const number = this.#requireDomain(domainName)
      return {
        ask: async () => ({ events: await this.#events.listByMessage(number, domainName, messageId) }),
        read: toAnswer,
      }
    }
    const after = await this.#findPosition(question)
    return { ask: () => this.list(domainName, question.filters, NO_BUDGET_MS, after), read: toAnswer }
  }

  list(domainName: string, filters: EventFilters, budgetMs: number, after?: EventPosition): Promise<EventPage> {
    return this.#events.list({
      domainNumber: this.#requireDomain(domainName),
      domainName,
      filters,
      limit: PAGE_EVENTS,
      ...(after && { after }),
      budgetMs,
    })
  }

  async #findPosition(question: Question & { readonly kind: 'page' }): Promise<EventPosition | undefined> {
    if (question.deepFrom === undefined) return undefined
    const filters = { ...question.filters, endTimestamp: question.deepFrom }
    return (await this.list(question.domainName, filters, NO_BUDGET_MS)).next
  }

  #requireDomain(name: string): number {
    const number = this.#domains.get(name)
    if (number === undefined) throw new Error(`the installation has no domain ${name}`)
    return number
  }
}

export function toAnswer(page: EventPage): SideAnswer {
  return { events: page.events.map(parse), hasMore: page.next !== undefined }
}

function parse(text: EventText): EmailEvent {
  return JSON.parse(text) as EmailEvent
}
