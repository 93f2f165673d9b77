/** `short_needle`: two characters, for which no index helps. No request may take much longer than its work budget. */
import type { EmailEvent } from '../../src/events/event.ts'
import { Figures } from '../load/figures.ts'
import { page } from '../questions/one-domain.ts'
import { PAGE_EVENTS, type Question, requireSameAnswer, type Side } from '../questions/question.ts'
import { judge, type Row } from '../report/row.ts'
import { PROFILES, type Window } from '../traffic/traffic.ts'

export const BUDGET_MS = 50
/** A slice of work that began within the budget may end after it. */
const SLACK = 1.5
const NEEDLES = ['qz', 'vq', 'x9', '0q']
const ROUNDS = 10
const SHORT_ROUNDS = 1

export interface NeedleRun {
  readonly window: Window
  readonly options: { readonly isShort: boolean }
}

/** `ours` has the budget. */
export async function measureShortNeedle(ours: Side, peer: Side, { window, options }: NeedleRun): Promise<Row> {
  const rounds = options.isShort ? SHORT_ROUNDS : ROUNDS
  const times = new Figures()
  const { domainName } = PROFILES[0] ?? { domainName: '' }
  for (const recipient of NEEDLES) {
    const question = page(domainName, window, { recipient })
    const theirs = peer.prepare(question)
    const expected = theirs.read(await theirs.ask())
    for (let round = 0; round < rounds; round++) {
      const events = await walk(ours, question, times)
      requireSameAnswer('short_needle', question, { ...expected, events: events.slice(0, PAGE_EVENTS) }, expected)
    }
  }
  const p99 = times.percentile(99)
  return judge('short_needle', p99, BUDGET_MS, p99 <= SLACK * BUDGET_MS)
}

/** Follows the cursors until a page is full or the end is reached. */
async function walk(ours: Side, question: Question, times: Figures): Promise<readonly EmailEvent[]> {
  const found: EmailEvent[] = []
  let next: string | undefined
  do {
    const prepared = ours.prepare(question, next)
    const started = performance.now()
    const raw = await prepared.ask()
    times.add(performance.now() - started)
    const answer = prepared.read(raw)
    found.push(...(answer.events ?? []))
    next = answer.next
  } while (next !== undefined && found.length < PAGE_EVENTS)
  return found
}
