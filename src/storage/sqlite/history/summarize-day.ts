/** Puts a day into the history index, or takes one out, in steps of a few milliseconds. */
import type { Database } from '../database/database.ts'
import {
  type CounterRow,
  type DomainDay,
  NO_COUNTS,
  readDomainDay,
  replaceDomainDay,
  type TypeCounts,
} from './domain-day.ts'
import { hashForHistory, idKey } from './id-key.ts'

/** Target duration of a transaction: events that arrive wait for it. */
const STEP_MS = 3
const DOMAINS_AT_ONCE = 50
const MESSAGES_AT_ONCE = 500
/** Sorted before they are written: neighbours share pages. */
const KEYS_SORTED = 100_000

const LIST_IDS = `SELECT key, id FROM message WHERE key > ? ORDER BY key LIMIT ${MESSAGES_AT_ONCE}`
const ADD_KEYS = 'INSERT OR IGNORE INTO message_id (key) SELECT value FROM json_each(?)'
const LIST_DOMAINS = `
  SELECT DISTINCT domain FROM counter WHERE domain > ? ORDER BY domain LIMIT ${DOMAINS_AT_ONCE}`

/** The day stays open until the caller closes it. */
export function* summarizeDay(history: Database, source: Database, day: number): Generator<undefined> {
  yield* addMessageIds(history, source, day)
  yield* replaceDomains(history, source, day)
}

/** Its message ids stay: they are removed with those of the other days of its span. */
export function* removeDay(history: Database, day: number): Generator<undefined> {
  yield* replaceDomains(history, undefined, day)
  history.run('DELETE FROM day WHERE day = ?', day)
}

function* addMessageIds(history: Database, source: Database, day: number): Generator<undefined> {
  let keys: number[] = []
  for (let last = -1; ; ) {
    const found = source.allArrays<[number, string]>(LIST_IDS, last)
    for (const [, id] of found) keys.push(idKey(hashForHistory(id), day))
    const isLast = found.length < MESSAGES_AT_ONCE
    if (isLast || keys.length >= KEYS_SORTED) {
      const sorted = Float64Array.from(new Set(keys)).sort()
      keys = []
      for (let at = 0; at < sorted.length; at += MESSAGES_AT_ONCE) {
        const part = JSON.stringify([...sorted.subarray(at, at + MESSAGES_AT_ONCE)])
        history.transaction(() => history.run(ADD_KEYS, part))
        yield
      }
    }
    if (isLast) return
    last = found.at(-1)?.[0] ?? last
    yield
  }
}

/** `source`: undefined if the day has nothing any more. */
function* replaceDomains(history: Database, source: Database | undefined, day: number): Generator<undefined> {
  for (let after: number | undefined = -1; after !== undefined; ) {
    const from: number = after
    after = history.transaction(() => replaceSomeDomains(history, source, day, from))
    yield
  }
}

/** Returns the last domain that was replaced; undefined at the end. */
function replaceSomeDomains(
  history: Database,
  source: Database | undefined,
  day: number,
  after: number,
): number | undefined {
  const until = performance.now() + STEP_MS
  const known = new Map(
    history.allArrays<[number, string]>(
      `SELECT domain, types FROM domain_day WHERE day = ? AND domain > ? ORDER BY domain LIMIT ${DOMAINS_AT_ONCE}`,
      day,
      after,
    ),
  )
  const present = new Set(source?.allArrays<[number]>(LIST_DOMAINS, after).map(([domain]) => domain))
  // Beyond the end of either list, the other may have domains that this one has too.
  const ends = [known, present].filter(({ size }) => size === DOMAINS_AT_ONCE).map((list) => Math.max(...list.keys()))
  const end = Math.min(Number.POSITIVE_INFINITY, ...ends)
  const domains = [...new Set([...known.keys(), ...present])].filter((domain) => domain <= end).sort((a, b) => a - b)
  for (const domain of domains) {
    const types = known.get(domain)
    const before = types === undefined ? NO_COUNTS : (JSON.parse(types) as TypeCounts)
    replaceDomainDay(history, day, domain, before, source && present.has(domain) ? readOne(source, domain) : undefined)
    if (performance.now() > until) return domain
  }
  return end === Number.POSITIVE_INFINITY ? undefined : end
}

function readOne(source: Database, domain: number): DomainDay {
  const counters = source.allArrays<CounterRow>(
    'SELECT domain, type, count, changed_at_ms FROM counter WHERE domain = ?',
    domain,
  )
  return readDomainDay(source, domain, counters)
}
