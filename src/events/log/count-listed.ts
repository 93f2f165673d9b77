/**
 * Counts the events of a search by listing them, newest first until the budget is used up: for engines whose server cannot count them,
 * and where events may be computed over, or in turns.
 */
import { Deadline } from '../../lib/turns/deadline.ts'
import { Turn } from '../../lib/turns/turn.ts'
import type { EmailEvent, EventExtension } from '../event.ts'
import { concernsReplies } from '../replies/reply-filter.ts'
import type { LogPage, LogPosition, LogQuery } from './log-query.ts'
import type { CountQuery, MatchCounts } from './match-counts.ts'
import { MatchTally } from './match-tally.ts'

/** Events at a time: some MB of texts, and few repetitions of a plan. */
const PAGE_EVENTS = 4000
/** The engine may mask the replies of a page without a pause; and fewer events are needed. */
const MASKED_PAGE_EVENTS = 1000

export type ListPage = (query: LogQuery) => Promise<LogPage>

export async function countListed(list: ListPage, query: CountQuery): Promise<MatchCounts> {
  const { domains, filters, window, tenantId, fields, signal } = query
  const deadline = new Deadline(query.budgetMs)
  const tally = new MatchTally(query)
  const turn = new Turn()
  const numbers = new Map(domains.map(({ number, name }) => [name, number]))
  const shown = fields.some((field) => field.startsWith('sending_')) ? 'sending' : 'interface'
  const share = { domains, filters, window, signal, shown, ...(tenantId !== undefined && { tenantId }) } as const
  const isMasking = concernsReplies(filters) || fields.every((field) => field === 'reply')
  const limit = isMasking ? MASKED_PAGE_EVENTS : PAGE_EVENTS
  let after: LogPosition | undefined
  for (;;) {
    const page = await list({
      ...share,
      limit,
      budgetMs: Math.max(0, deadline.leftMs),
      ...(after !== undefined && { after, isContinuation: true }),
    })
    for (const text of page.events) {
      const event = JSON.parse(text) as EmailEvent & EventExtension
      tally.add(event, numbers.get(event.domain_name) ?? 0)
      if (turn.isOver) {
        await turn.share()
        signal?.throwIfAborted()
      }
    }
    if (page.next === undefined) return tally.finish()
    if (deadline.leftMs <= 0 || tally.isFull) return tally.finish(page.searchedTo ?? window.endTimestamp)
    after = page.next
  }
}
