/** Proof that the new storage returns what the old one returns: counts of every domain, and a sample of pages, byte for byte. */
import { type EmailEvent, EVENT_TYPES } from '../../events/event.ts'
import type { EventLog } from '../../events/log/event-log.ts'
import type { EventText, LogDomain, LogFilters, LogQuery, LogWindow } from '../../events/log/log-query.ts'
import { createSeededRandom, type SeededRandom } from '../../lib/seeded-random.ts'
import type { DomainCounts } from '../../stats/domain-counts.ts'
import type { EventCounts } from '../../stats/event-counts.ts'
import { SERIES_GROUPS, type SeriesGroup } from '../../stats/series.ts'

type Log = Pick<EventLog, 'list'> & EventCounts

export interface ComparedLogs {
  readonly source: Log
  readonly target: Log
  readonly domains: readonly LogDomain[]
  /** Of all retained events. */
  readonly window: LogWindow
  readonly pages: number
  readonly seed: number
  readonly onPage?: (() => void) | undefined
}

export interface Comparison {
  readonly domains: number
  readonly pages: number
  /** Events on those pages. */
  readonly events: number
  /** What differs; the first ones. */
  readonly differences: readonly string[]
}

const DOMAINS_AT_ONCE = 200
const PAGES_AT_ONCE = 8
const PAGE_EVENTS = 50
const DIFFERENCES_MAX = 20
const HOUR = 3600
/** No page may end early because of it: the two would end at different events. */
const BUDGET_MS = 60_000

export async function compareLogs(logs: ComparedLogs): Promise<Comparison> {
  const differences: string[] = []
  for (let at = 0; at < logs.domains.length && differences.length < DIFFERENCES_MAX; at += DOMAINS_AT_ONCE) {
    const domains = logs.domains.slice(at, at + DOMAINS_AT_ONCE)
    differences.push(...(await compareCounts(logs, domains)), ...(await compareSeries(logs, domains)))
  }
  const pages = logs.domains.length === 0 ? [] : samplePages(logs)
  let events = 0
  for (let at = 0; at < pages.length && differences.length < DIFFERENCES_MAX; at += PAGES_AT_ONCE) {
    const compared = await Promise.all(pages.slice(at, at + PAGES_AT_ONCE).map((page) => comparePage(logs, page)))
    for (const { difference, events: found } of compared) {
      events += found
      if (difference !== undefined) differences.push(difference)
      logs.onPage?.()
    }
  }
  return {
    domains: logs.domains.length,
    pages: pages.length,
    events,
    differences: differences.slice(0, DIFFERENCES_MAX),
  }
}

async function compareCounts({ source, target }: ComparedLogs, domains: readonly LogDomain[]): Promise<string[]> {
  const numbers = domains.map(({ number }) => number)
  const [before, after] = await Promise.all([source.counts(numbers), target.counts(numbers)])
  return domains.flatMap(({ number, name }) => {
    const [was, is] = [describe(before.get(number)), describe(after.get(number))]
    return was === is ? [] : [`counts of ${name}: expected ${was}, actual ${is}`]
  })
}

function describe(counts: DomainCounts | undefined): string {
  if (!counts) return 'none'
  const { reception, delivery, bounce, changedAtMs } = counts
  return `reception ${reception}, delivery ${delivery}, bounce ${bounce}, changed at ${changedAtMs}`
}

async function compareSeries({ source, target, window }: ComparedLogs, domains: readonly LogDomain[]) {
  const query = {
    domainNumbers: domains.map(({ number }) => number),
    filters: {},
    fromHour: Math.floor(window.startTimestamp / HOUR),
    toHour: Math.floor(window.endTimestamp / HOUR) + 1,
  }
  const differences: string[] = []
  for (const group of SERIES_GROUPS) {
    const [before, after] = await Promise.all([sum(source, query, group), sum(target, query, group)])
    for (const key of new Set([...before.keys(), ...after.keys()])) {
      const [was, is] = [before.get(key) ?? 0, after.get(key) ?? 0]
      if (was !== is) differences.push(`events by ${group} (${key.trim()}): expected ${was}, actual ${is}`)
    }
  }
  return differences
}

type Hours = Omit<Parameters<EventCounts['series']>[0], 'group'>

async function sum(log: Log, query: Hours, group: SeriesGroup): Promise<Map<string, number>> {
  const sums = new Map<string, number>()
  for await (const counts of log.series({ ...query, group })) {
    for (const { hour, key, count } of counts) {
      const name = `${new Date(hour * HOUR * 1000).toISOString().slice(0, 13)} ${key}`
      sums.set(name, (sums.get(name) ?? 0) + count)
    }
  }
  return sums
}

type Page = Pick<LogQuery, 'domains' | 'filters' | 'window'>

function samplePages({ domains, window, pages, seed }: ComparedLogs): readonly Page[] {
  const random = createSeededRandom(seed)
  return Array.from({ length: pages }, () => ({
    domains: [random.pick(domains)],
    filters: sampleFilters(random),
    window: { ...window, endTimestamp: random.between(window.startTimestamp, window.endTimestamp) },
  }))
}

const NEEDLES = ['a', '@', 'gmail', 'example', 'order', 'nothing has this'] as const

function sampleFilters(random: SeededRandom): LogFilters {
  const code = random.pick([
    { from: 250, to: 250 },
    { from: 400, to: 499 },
    { from: 500, to: 599 },
  ])
  const text = random.pick(['recipient', 'sender', 'from', 'subject', 'anyText'] as const)
  const filters = [{ types: [random.pick(EVENT_TYPES)] }, { codes: [code] }, { [text]: random.pick(NEEDLES) }]
  return random.pick<LogFilters>([...filters, {}, {}])
}

async function comparePage(
  { source, target }: ComparedLogs,
  page: Page,
): Promise<{ readonly events: number; readonly difference?: string }> {
  const [before, after] = await Promise.all([readPage(source, page), readPage(target, page)])
  const at = before.findIndex((text, index) => text !== after[index])
  if (at < 0 && before.length === after.length) return { events: before.length }
  const where = `${page.domains[0]?.name}, until ${page.window.endTimestamp}, ${JSON.stringify(page.filters)}`
  const index = at < 0 ? before.length : at
  const names = [nameOf(before[index]), nameOf(after[index])]
  return {
    events: before.length,
    difference: `page of ${where}: event ${index + 1}: expected ${names[0]}, actual ${names[1]}`,
  }
}

/** A page may come in pieces. */
async function readPage(log: Log, page: Page): Promise<readonly EventText[]> {
  const events: EventText[] = []
  for (let after: string | undefined; ; ) {
    const limit = PAGE_EVENTS - events.length
    const position = after === undefined ? {} : { after }
    const found = await log.list({ ...page, ...position, shown: 'sending', limit, budgetMs: BUDGET_MS })
    events.push(...found.events)
    if (found.next === undefined || events.length >= PAGE_EVENTS) return events
    after = found.next
  }
}

/** Without what a message is about. */
function nameOf(text: EventText | undefined): string {
  if (text === undefined) return 'missing'
  const { id, type, timestamp } = JSON.parse(text) as EmailEvent
  return `${type} ${id} at ${timestamp}`
}
