/**
 * Counts the events that match, newest first until the budget is used up, on a reading thread. It reads them as pages do: the
 * plans of a search, its slices and its turns are the same.
 */
import type { EmailEvent, EventExtension } from '../../../events/event.ts'
import type { LogPage, LogPosition, LogQuery } from '../../../events/log/log-query.ts'
import type { CountQuery, MatchCounts } from '../../../events/log/match-counts.ts'
import { MatchTally } from '../../../events/log/match-tally.ts'
import { nextTurn } from '../../../lib/turns/next-turn.ts'

/** Events at a time: some MB of texts, and few repetitions of a plan. */
const PAGE_EVENTS = 4000
/** Parsed before others get the thread: a millisecond or two. */
const PARSED_AT_ONCE = 400

type List = (query: LogQuery, signal?: AbortSignal) => Promise<LogPage>

export async function countMatches(list: List, query: CountQuery, signal?: AbortSignal): Promise<MatchCounts> {
  const { domains, fields, budgetMs } = query
  const deadline = performance.now() + budgetMs
  const tally = new MatchTally(query)
  const numbers = new Map(domains.map(({ number, name }) => [name, number]))
  const shown = fields.some((field) => field.startsWith('sending_')) ? 'sending' : 'interface'
  let after: LogPosition | undefined
  for (;;) {
    const left = Math.max(0, deadline - performance.now())
    const page = await list(
      { ...query, shown, limit: PAGE_EVENTS, budgetMs: left, ...(after !== undefined && { after }) },
      signal,
    )
    for (let from = 0; from < page.events.length; from += PARSED_AT_ONCE) {
      for (const text of page.events.slice(from, from + PARSED_AT_ONCE)) {
        const event = JSON.parse(text) as EmailEvent & EventExtension
        tally.add(event, numbers.get(event.domain_name) ?? 0)
      }
      await nextTurn()
      signal?.throwIfAborted()
    }
    if (page.next === undefined) return tally.finish()
    if (performance.now() >= deadline) return tally.finish(page.searchedTo ?? query.window.endTimestamp)
    after = page.next
  }
}
