/** `short_needle`: two characters that no index helps with. No call may take longer than the budget it was given. */
import type { EventText } from '../../src/events/event-query.ts'
import { type EnvelogSide, toAnswer } from '../envelog-side.ts'
import { percentile } from '../measure.ts'
import { PAGE_EVENTS, requireSameAnswer, type Side } from '../question.ts'
import { judge, type Row } from '../row.ts'
import { PROFILES, type Window } from '../traffic.ts'
import { page } from './questions.ts'

const BUDGET_MS = 50
/** What a slice of work that began within the budget may take on top. */
const SLACK = 1.5
const NEEDLES = ['qz', 'vq', 'x9', '0q']
const ROUNDS = 10

export async function measureShortNeedle(ours: EnvelogSide, peer: Side, window: Window): Promise<Row> {
  const times: number[] = []
  const { domainName } = PROFILES[0] ?? { domainName: '' }
  for (const recipient of NEEDLES) {
    const question = page(domainName, window, { recipient })
    const theirs = await peer.prepare(question)
    const expected = theirs.read(await theirs.ask())
    for (let round = 0; round < ROUNDS; round++) {
      const found = await walk(ours, question, times)
      const answer = toAnswer({ events: found.slice(0, PAGE_EVENTS) })
      requireSameAnswer('short_needle', question, { ...answer, hasMore: expected.hasMore }, expected)
    }
  }
  const p99 = percentile(times, 99)
  return judge('short_needle', p99, BUDGET_MS, p99 <= SLACK * BUDGET_MS)
}

/** Follows the tokens until a page is full or the end is reached. */
async function walk(
  ours: EnvelogSide,
  { domainName, filters }: ReturnType<typeof page>,
  times: number[],
): Promise<readonly EventText[]> {
  const found: EventText[] = []
  let after: Parameters<EnvelogSide['list']>[3]
  do {
    const started = performance.now()
    const answer = await ours.list(domainName, filters, BUDGET_MS, after)
    times.push(performance.now() - started)
    found.push(...answer.events)
    after = answer.next
  } while (after && found.length < PAGE_EVENTS)
  return found
}
