/**
 * The schema and every shape of query on a current ClickHouse, with the index that each is meant to use. Left out where that version cannot
 * be had: tests of the whole engine run on the version of the system's packages.
 */
import assert from 'node:assert/strict'
import { before, after as closeAfter, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { EmailEvent } from '../../src/events/event.ts'
import type { LogFilters } from '../../src/events/log/log-query.ts'
import { maskReply } from '../../src/events/replies/mask-reply.ts'
import { ArrivalReader } from '../../src/storage/clickhouse/arrivals/arrival-reader.ts'
import { countDomains } from '../../src/storage/clickhouse/counts/domain-counts.ts'
import { listHourCounts } from '../../src/storage/clickhouse/counts/hour-counts.ts'
import { findReceptions } from '../../src/storage/clickhouse/reading/find-receptions.ts'
import { formatPosition } from '../../src/storage/clickhouse/reading/log-position.ts'
import { LogReader } from '../../src/storage/clickhouse/reading/log-reader.ts'
import { countHours, countSending, listChanges } from '../../src/storage/clickhouse/rows/count-rows.ts'
import {
  encodeChanges,
  encodeEvents,
  encodeHours,
  encodeSending,
} from '../../src/storage/clickhouse/rows/encode-rows.ts'
import { type EventRow, toEventRow } from '../../src/storage/clickhouse/rows/event-row.ts'
import { migrateClickHouse } from '../../src/storage/clickhouse/schema/migrate-clickhouse.ts'
import { requireClickHouseSchema } from '../../src/storage/clickhouse/schema/schema-state.ts'
import { TABLES } from '../../src/storage/clickhouse/schema/tables.ts'
import type { TableName } from '../../src/storage/clickhouse/server/clickhouse.ts'
import { NO_TOTALS } from '../harness/storage/clickhouse/no-totals.ts'
import { ExplainedClickHouse } from '../harness/storage/modern/explained-clickhouse.ts'
import { prepareChdb } from '../harness/storage/modern/prepare-chdb.ts'

/** A day of one domain in 16 granules of 1024 events, between two small domains. */
const DAY_START = 1_772_323_200
const EVENTS = 16 * 1024
const DOMAINS = [1, 2, 3].map((number) => ({ number, name: `d${number}.test` }))
const [, BUSY] = DOMAINS
const RARE = 11_000
const REPLY = "554 5.7.1 100% 'blocked' by_rule \\ 4711"
const DEADLINE_MS = 240_000

const chdb = prepareChdb()
const reason = 'missing' in chdb ? `a current ClickHouse is not available here: ${chdb.missing}` : false

describe('ClickHouse 26.7', { skip: reason, timeout: DEADLINE_MS * 1.5 }, () => {
  let clickHouse: ExplainedClickHouse
  let reader: LogReader
  before(async () => {
    if ('missing' in chdb) return
    clickHouse = new ExplainedClickHouse(chdb.command)
    reader = new LogReader({ clickHouse, serviceMessageIdField: 'service_message_id' })
    await migrateClickHouse(clickHouse)
    await store(clickHouse, sampleRows())
  })
  closeAfter(() => clickHouse?.close())

  const window = { startTimestamp: DAY_START - 86_400, endTimestamp: DAY_START + 2 * 86_400 }
  // In one step over the whole time: each statement takes seconds where it is emulated.
  const after = formatPosition({ timestamp: window.endTimestamp, arrival: 0, span: 10 * 86_400 })
  const list = (filters: LogFilters) =>
    reader.list({ domains: BUSY ? [BUSY] : [], filters, window, after, limit: 3, budgetMs: DEADLINE_MS })

  /** The granules that are left after the index, of those that were there before it. */
  async function leftAfter(name: string): Promise<number> {
    const used = await clickHouse.explainLast('event')
    const found = used.find((index) => index.name === name)
    assert.ok(found, `${name} is not used: ${JSON.stringify(used)}`)
    return found.left
  }

  test('has the schema, and drops an insert that is repeated', async () => {
    await requireClickHouseSchema(clickHouse)
    await store(clickHouse, sampleRows(), ['event'])
    const [row] = await clickHouse.select('SELECT count() FROM envelog.event')
    assert.deepEqual(row, [String(EVENTS + 2)])
  })

  test('the newest page, and one after a position, read a few granules of the domain', async () => {
    const first = await list({})
    assert.deepEqual(first.events.map(numberOf), [EVENTS - 1, EVENTS - 2, EVENTS - 3])
    const middle = formatPosition({ timestamp: DAY_START + 40_000, arrival: 1, span: 7200 })
    const query = { domains: BUSY ? [BUSY] : [], filters: {}, window, limit: 3, budgetMs: DEADLINE_MS }
    const next = await reader.list({ ...query, after: middle })
    assert.deepEqual(next.events.map(numberOf), [7999, 7998, 7997])
    const left = await leftAfter('PrimaryKey')
    assert.ok(left <= 4, `${left} granules`)
  })

  const skipping: readonly (readonly [what: string, filters: LogFilters, index: string, numbers: readonly number[]])[] =
    [
      ['a rare type', { types: ['Feedback'] }, 'by_type', [RARE]],
      ['a response code', { codes: [{ from: 554, to: 554 }] }, 'by_code', [RARE]],
      ['a range of codes', { codes: [{ from: 500, to: 599 }] }, 'by_code', [RARE]],
      ['a part of the recipient', { recipient: 'UNIQUE-anna' }, 'recipient_search', [RARE]],
      ['a part of the sender', { sender: 'rare-bounces' }, 'sender_search', [RARE]],
      ['a part of the From header', { from: 'Rare Company' }, 'header_from_search', [RARE]],
      ['a part of the subject, beyond ASCII', { subject: 'ÜBERRASCHUNG' }, 'subject_search', [RARE]],
    ]
  for (const [what, filters, index, numbers] of skipping) {
    test(`${what} is found by the index ${index}`, async () => {
      const { events } = await list(filters)
      assert.deepEqual(events.map(numberOf), numbers)
      const left = await leftAfter(index)
      assert.ok(left <= 2, `${left} granules are left`)
    })
  }

  test('any text is found by the indexes of all fields together', async () => {
    assert.deepEqual((await list({ anyText: 'unique-ANNA' })).events.map(numberOf), [RARE])
  })

  test('a reply is found by its mask', async () => {
    const mask = maskReply(REPLY)
    assert.notEqual(mask, REPLY)
    assert.deepEqual((await list({ replies: ['other', mask] })).events.map(numberOf), [RARE])
    assert.deepEqual((await list({ replies: [REPLY] })).events, [])
    assert.deepEqual((await list({ types: ['Feedback'], without: { replies: [mask] } })).events, [])
  })

  test('a message is found by the index of its id', async () => {
    const page = await reader.listMessage({ domains: DOMAINS, messageId: idOf(RARE), limit: 5, budgetMs: DEADLINE_MS })
    assert.deepEqual(page.events.map(numberOf), [RARE])
    assert.ok((await leftAfter('by_id')) <= 2)
  })

  test('arrivals after a position are found by the index of arrivals', async () => {
    const horizon = { next: EVENTS + 2, unfinished: new Map<number, number>() }
    const arrivals = new ArrivalReader({ clickHouse, serviceMessageIdField: 'x', readHorizon: async () => horizon })
    const end = { ...horizon, next: EVENTS - 5 }
    const before = new ArrivalReader({ clickHouse, serviceMessageIdField: 'x', readHorizon: async () => end })
    const page = await arrivals.list({
      domains: DOMAINS,
      filters: {},
      after: await before.last(),
      limit: 5,
      budgetMs: DEADLINE_MS,
    })
    assert.equal(page.events.length, 5)
    assert.ok((await leftAfter('by_arrival')) <= 3)
  })

  test('counts and series are those of the events', async () => {
    const counts = await countDomains(clickHouse, NO_TOTALS, [1, 2, 3])
    assert.deepEqual(counts.get(2), { delivery: EVENTS - 1, bounce: 0, reception: 0, changedAtMs: 5 })
    const query = { domainNumbers: [2], filters: {}, fromHour: DAY_START / 3600, toHour: DAY_START / 3600 + 24 }
    for (const group of ['type', 'sending_pool'] as const) {
      let sum = 0
      for await (const part of listHourCounts(clickHouse, { ...query, group }))
        for (const { count } of part) sum += count
      assert.equal(sum, group === 'type' ? EVENTS : 1)
    }
  })

  test('receptions of deliveries are found by the index of ids, each within its own time', async () => {
    const [timestamp, recipient] = [DAY_START + 60_000, 'received@example.net']
    const received = (ago: number): EmailEvent => ({
      ...sampleEvent(0),
      id: `received ${ago}`,
      type: 'Reception',
      recipient,
      timestamp: timestamp - ago,
    })
    const body = encodeEvents([toRow(2, received(600)), toRow(2, received(5000)), toRow(2, received(0))], 50_000)
    await clickHouse.insert({ table: 'event', body, token: 'receptions', timeoutMs: DEADLINE_MS, shard: 0 })
    const deliveries = [600, 5000, 0, 1].map((ago) => {
      return {
        id: `received ${ago}`,
        recipient,
        domain: BUSY ?? assert.fail(),
        timestamp: timestamp - (ago === 0 ? 1 : 0),
      }
    })
    const found = await findReceptions({ clickHouse, retainedFrom: 0 }, deliveries, DEADLINE_MS)
    assert.deepEqual(found, [timestamp - 600, timestamp - 5000, undefined, undefined])
    assert.ok((await leftAfter('by_id')) <= 2)
  })

  test('a setting that a table lacks is set by the next migration', async () => {
    const engine = async () =>
      (await clickHouse.select("SELECT engine_full FROM system.tables WHERE name = 'event'"))[0]
    const [made] = (await engine()) ?? []
    assert.match(String(made), /min_age_to_force_merge_seconds = 172800, min_age_to_force_merge_on_partition_only = 1/)
    await clickHouse.command(
      'ALTER TABLE envelog.event RESET SETTING fsync_after_insert, min_age_to_force_merge_seconds',
    )
    assert.doesNotMatch(String(await engine()), /fsync_after_insert|min_age_to_force_merge_seconds/)
    await migrateClickHouse(clickHouse)
    const settings = (text: unknown) => String(text).split('SETTINGS ')[1]?.split(', ').sort()
    assert.deepEqual(settings(await engine()), settings(made))
  })

  test('a day that gets no more events becomes one part, however small those are that came last', async () => {
    const day = new Date((DAY_START - 30 * 86_400) * 1000).toISOString().slice(0, 10)
    const at = (seconds: number) => toRow(1, { ...sampleEvent(0), timestamp: DAY_START - 30 * 86_400 + seconds })
    const batches = [Array.from({ length: 2000 }, (_, second) => at(second)), [at(3000)], [at(3001)]]
    for (const [number, rows] of batches.entries()) {
      const body = encodeEvents(rows, 100_000 * (number + 1))
      await clickHouse.insert({ table: 'event', body, token: `late ${number}`, timeoutMs: DEADLINE_MS, shard: 0 })
    }
    const parts = async () => {
      const sql = `SELECT count(), sum(rows) FROM system.parts WHERE table = 'event' AND active AND partition = '${day}'`
      return (await clickHouse.select(sql))[0]
    }
    assert.deepEqual(await parts(), ['3', '2002'])
    // As if the two days had passed.
    await clickHouse.command('ALTER TABLE envelog.event MODIFY SETTING min_age_to_force_merge_seconds = 1')
    for (const endMs = performance.now() + DEADLINE_MS / 2; performance.now() < endMs; await sleep(500)) {
      if ((await parts())?.[0] === '1') break
    }
    assert.deepEqual(await parts(), ['1', '2002'])
  })
})

async function store(
  clickHouse: ExplainedClickHouse,
  rows: readonly EventRow[],
  tables: readonly TableName[] = TABLES,
): Promise<void> {
  const shared = { timeoutMs: DEADLINE_MS, shard: 0 }
  const bodies = [
    ['event', encodeEvents(rows, 1)],
    ['event_hour', encodeHours(countHours(rows, 'batch'))],
    ['sending_hour', encodeSending(countSending(rows, new Map(), 'batch'))],
    ['domain_change', encodeChanges(listChanges(rows, 5))],
  ] as const
  for (const [table, body] of bodies.filter(([name]) => tables.includes(name)))
    await clickHouse.insert({ table, body, token: `1 ${table}`, ...shared })
}

function sampleRows(): readonly EventRow[] {
  const small = [1, 3].map((domainNumber) => toRow(domainNumber, { ...sampleEvent(0), id: `small-${domainNumber}` }))
  return [...Array.from({ length: EVENTS }, (_, number) => toRow(2, sampleEvent(number), number === RARE)), ...small]
}

function toRow(domainNumber: number, event: EmailEvent, isSent = false): EventRow {
  const extension = { sending_address: '192.0.2.1', sending_pool: 'bulk' }
  return toEventRow({ domainNumber, event, ...(isSent && { extension }) })
}

function sampleEvent(number: number): EmailEvent {
  const event: EmailEvent = {
    id: idOf(number),
    timestamp: DAY_START + number * 5,
    type: 'Delivery',
    domain_name: 'd2.test',
    recipient: `person${number}@example.net`,
    sender: 'bounces@d2.test',
    from: 'Acme <hello@d2.test>',
    subject: `Letter ${number}`,
    response_code: 250,
    size: number,
  }
  if (number !== RARE) return event
  return {
    ...event,
    type: 'Feedback',
    recipient: 'unique-Anna@example.org',
    sender: 'rare-bounces@d2.test',
    from: 'Rare Company <x@d2.test>',
    subject: 'Eine Überraschung',
    response_code: 554,
    response_content: REPLY,
  }
}

function idOf(number: number): string {
  return `${String(number).padStart(8, '0')}-0000-4000-8000-000000000000`
}

function numberOf(text: string): number {
  return Number((JSON.parse(text) as EmailEvent).size)
}
