/** Compares everything that can be read with the record: pages, counts, messages and series. */
import assert from 'node:assert/strict'
import type { EmailEvent } from '../../../src/events/event.ts'
import type { SeededRandom } from '../../../src/lib/seeded-random.ts'
import type { Ledger } from '../../harness/log/ledger.ts'
import type { LabClient } from './lab-client.ts'

/** Looked up by id in each check; all events are in the pages. */
const MESSAGES = 3
const SMALL_PAGE = '37'

export interface Window {
  readonly fromTimestamp: number
  readonly toTimestamp: number
}

export async function checkLog(client: LabClient, ledger: Ledger, window: Window, random: SeededRandom): Promise<void> {
  const found = await ledger.verify(client)
  for (const [domain, events] of found) {
    await checkSeries(client, domain, events, window)
    for (let index = 0; index < MESSAGES && events.length > 0; index++) {
      await checkMessage(client, domain, random.pick(events).id, events)
    }
  }
  await checkSmallPages(client, random.pick([...found]), window)
}

async function checkSeries(
  client: LabClient,
  domain: string,
  events: readonly EmailEvent[],
  window: Window,
): Promise<void> {
  const { series, times } = await client.series(domain, window.fromTimestamp, window.toTimestamp)
  const counted = series.flatMap(({ key, counts }) =>
    counts.flatMap((count, index) => (count > 0 ? [[`${times[index]} ${key}`, count] as const] : [])),
  )
  const expected = Object.entries(Object.groupBy(events, ({ timestamp, type }) => `${hourOf(timestamp)} ${type}`))
  assert.deepEqual(
    new Map(counted),
    new Map(expected.map(([key, list]) => [key, list?.length])),
    `the series of ${domain} differs from its listing`,
  )
}

function hourOf(timestamp: number): string {
  return new Date(Math.floor(timestamp / 3600) * 3_600_000).toISOString()
}

async function checkMessage(
  client: LabClient,
  domain: string,
  id: string,
  events: readonly EmailEvent[],
): Promise<void> {
  const stepsOf = (list: readonly { readonly timestamp: number; readonly type: string }[]) =>
    list.map(({ timestamp, type }) => `${timestamp} ${type}`).toSorted()
  const message = await client.message(domain, id)
  assert.equal(message.domain, domain)
  assert.deepEqual(stepsOf(message.events), stepsOf(events.filter((event) => event.id === id)), `the message ${id}`)
}

/** The same events in the same order, whatever the size of the page. */
async function checkSmallPages(
  client: LabClient,
  [domain, events]: readonly [string, readonly EmailEvent[]],
  window: Window,
): Promise<void> {
  const newest = events.slice(0, 200)
  const last = newest.at(-1)
  if (!last) return
  const pages = await client.listAll(domain, {
    limit: SMALL_PAGE,
    start_timestamp: String(last.timestamp),
    end_timestamp: String(window.toTimestamp),
  })
  assert.deepEqual(pages.slice(0, newest.length), newest, `small pages of ${domain} differ from large ones`)
}
