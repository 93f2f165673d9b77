import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { CutProxy } from '../../../../test/harness/cluster/cut-proxy.ts'
import { startSteadyCluster } from '../../../../test/harness/storage/clickhouse/cluster.ts'
import {
  ClickHouseLogs,
  type LogPlace,
  type OpenedLog,
  openLog,
} from '../../../../test/harness/storage/clickhouse/logs.ts'
import type { AttributedEvent } from '../../../events/log/event-log.ts'
import { AppError } from '../../../lib/app-error.ts'
import { newDomain, TENANT } from '../../contract/control/domain-scene.ts'
import { burst, listAll, queryOf } from '../../contract/log-scene.ts'
import type { Batch } from '../../postgres/batches/batch.ts'
import { LOCKS } from '../../postgres/database/locks.ts'
import { Postgres } from '../../postgres/database/postgres.ts'
import { migrateSchemas } from '../migrate-schemas.ts'
import { openClickhouseStorage } from '../open-clickhouse-storage.ts'
import { toEventRow } from '../rows/event-row.ts'
import { applyBatch } from './apply-batch.ts'
import { Deadline } from './deadline.ts'
import { draftBatch } from './draft-batch.ts'
import { encodeChunk, numberEvents } from './encoded-events.ts'

const DOMAIN = { number: 4, name: 'a.test' }
const OTHER = { number: 5, name: 'b.test' }
const WAIT_MS = 60_000
const END_HOLDERS = `
  SELECT pg_terminate_backend(pid) FROM pg_locks
  WHERE locktype = 'advisory' AND classid = ${LOCKS.shard} AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
const NOTHING_KNOWN = { events: new Set<string>(), origins: new Map(), nowMs: 1 }

/** As a server does it that dies right after the decision. */
async function decideOnly({ log, clickHouse }: OpenedLog, events: readonly AttributedEvent[]) {
  const rows = events.map(toEventRow)
  const chunk = encodeChunk(rows)
  const waiting = rows.map((row, place) => ({ row, chunk, place, index: place }))
  const shard = DOMAIN.number % clickHouse.shards
  return log.batches.hold(shard, WAIT_MS, async (held) => {
    const rules = { cutDay: '0000-01-01', closedDay: undefined, removedDomains: new Set<number>() }
    const { batch } = await draftBatch(waiting, rules, NOTHING_KNOWN)
    const decided = await held.decide([DOMAIN.number], async () => batch)
    return { decided: decided ?? assert.fail(), content: (batch ?? assert.fail()).content }
  })
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + WAIT_MS
  while (!(await isTrue())) {
    assert.ok(performance.now() < deadline, 'it never happened')
    await delay(50)
  }
}

const deliveries = async ({ log }: OpenedLog) => (await log.counts([DOMAIN.number])).get(DOMAIN.number)?.delivery

describe('writing into ClickHouse', () => {
  let logs: ClickHouseLogs
  before(async () => {
    logs = await ClickHouseLogs.start(startSteadyCluster)
  })
  after(() => logs[Symbol.asyncDispose]())

  test('what a dead server has decided is applied by a server that nobody writes to, announced and counted once', async () => {
    await using opened = await logs.open()
    const { log, clickHouse } = opened
    const heard: unknown[] = []
    using _listening = log.arrivals.onArrival((numbers) => void heard.push(numbers && [...numbers]))
    const position = await log.arrivals.last()
    const { decided, content } = await decideOnly(opened, [burst(1, DOMAIN), burst(2, DOMAIN)])
    await until(async () => (await log.batches.readHorizon()).unfinished.size === 0)
    assert.deepEqual(heard, [[DOMAIN.number]])
    assert.equal((await listAll(log, queryOf([DOMAIN], 10))).length, 2)
    assert.equal(await deliveries(opened), 2)
    const query = { domains: [DOMAIN], filters: {}, after: position, limit: 10, budgetMs: WAIT_MS }
    assert.equal((await log.arrivals.list(query)).events.length, 2)
    // The dead server comes back to life in the middle of its inserts.
    await insertAgain(decided, content)
    assert.equal((await listAll(log, queryOf([DOMAIN], 10))).length, 2)
    assert.equal(await deliveries(opened), 2)
    assert.deepEqual(await log.append([burst(1, DOMAIN), burst(3, DOMAIN)]), { stored: 1, duplicates: 1, expired: [] })

    // Or before its first one: it does not begin.
    const deadline = new Deadline(WAIT_MS)
    const batch = { ...decided, token: 'one that ClickHouse has forgotten' }
    const application = { batch, content, isRepeated: false, deadline, held: { isHeld: true } }
    const isUnavailable = (error: unknown) => error instanceof AppError && error.code === 'storage_unavailable'
    await assert.rejects(applyBatch(clickHouse, { ...application, deadline: new Deadline(0) }), isUnavailable)
    await log.batches.hold(decided.shard, WAIT_MS, async (held) => {
      await opened.control.db.run(END_HOLDERS)
      await until(async () => !held.isHeld)
      await assert.rejects(applyBatch(clickHouse, { ...application, deadline: new Deadline(500), held }), isUnavailable)
    })
    assert.equal(await deliveries(opened), 3)

    async function insertAgain({ first, shard, token }: Batch, { events, counts }: typeof content): Promise<void> {
      numberEvents(events, first)
      for (const [table, body] of [['event', events.bytes] as const, ...counts]) {
        const again = { table, body, token: `${token} ${table}`, timeoutMs: 10_000, shard, isOfShard: true }
        await clickHouse.insert(again)
      }
    }
  })

  test('a PostgreSQL that lost the newest numbers gives out none of them again, by a failover or by an older copy', async () => {
    const place = await logs.createPlace()
    const numbersOf = async ({ clickHouse }: OpenedLog) =>
      (await clickHouse.select(`SELECT arrival FROM ${clickHouse.readFrom('event')} ORDER BY arrival`))
        .flat()
        .map(Number)
    const write = async (number: number) => {
      await using opened = await openLog(place)
      await opened.log.append([burst(number, DOMAIN)])
      return await numbersOf(opened)
    }
    assert.deepEqual(await write(1), [1])
    assert.deepEqual(await write(2), [1, 2])
    const db = new Postgres(place.postgresUrl)
    // As the standby has it, with another timeline.
    await db.run("UPDATE setting SET value = value || '1' WHERE name = 'postgres_identity'")
    await db.run('UPDATE arrival SET next = 2')
    const lastDomain = () => db.number("SELECT pg_sequence_last_value('domain_number_seq')::bigint")
    const [, , third = 0] = await write(3)
    assert.ok((await lastDomain()) > DOMAIN.number)
    await db.run('ALTER SEQUENCE domain_number_seq RESTART')
    assert.ok(third > 2)
    assert.deepEqual(await write(4), [1, 2, third, third + 1])
    // A copy of the files, restored without a trace, and the command of the instructions.
    await db.run('UPDATE arrival SET next = 2')
    const steps: string[] = []
    const reports = { onPostgres: () => undefined, onClickHouse: (step: string) => void steps.push(step) }
    await migrateSchemas({ ...place, clickhouse: place.clickHouse }, reports)
    assert.deepEqual(steps, [
      `arrival numbers continue at ${third + 2}, because PostgreSQL was older than ClickHouse`,
      `domain numbers continue at ${DOMAIN.number + 1}, because PostgreSQL was older than ClickHouse`,
    ])
    assert.equal(await lastDomain(), DOMAIN.number)
    await requireNextDomain(place, db)
    assert.deepEqual(await write(5), [1, 2, third, third + 1, third + 2])
    await db.close()
  })

  /** A server that finds such a copy, and nobody ran the command; and one with the PostgreSQL of another installation. */
  async function requireNextDomain(place: LogPlace, db: Postgres): Promise<void> {
    await db.run('ALTER SEQUENCE domain_number_seq RESTART')
    const options = { clickhouse: place.clickHouse, clock: () => 1, serviceMessageIdField: 'x' }
    const storage = await openClickhouseStorage({ ...options, postgresUrl: place.postgresUrl })
    try {
      await storage.control.keys.createTenant({ id: TENANT, clientId: 'c', name: 'A', createdAtMs: 1, quotas: {} })
      assert.equal((await storage.control.domains.create(newDomain(1))).number, DOMAIN.number + 1)
      assert.equal((await storage.control.domains.create(newDomain(2))).number, DOMAIN.number + 2)
    } finally {
      await storage.close()
    }
    const other = await logs.databases.create()
    const isRefused = /^The ClickHouse database \w+ belongs to a different installation/
    await assert.rejects(openClickhouseStorage({ ...options, postgresUrl: other }), { message: isRefused })
    const reports = { onPostgres: () => undefined, onClickHouse: () => undefined }
    await assert.rejects(migrateSchemas({ ...options, postgresUrl: other }, reports), { message: isRefused })
  }

  test('a batch of which a part is stored already is completed before anything else is decided', async () => {
    await using opened = await logs.open()
    const { log, clickHouse } = opened
    const { decided, content } = await decideOnly(opened, [burst(1, DOMAIN), burst(2, DOMAIN)])
    numberEvents(content.events, decided.first)
    const insertion = { table: 'event', body: content.events.bytes, token: `${decided.token} event` } as const
    await clickHouse.insert({ ...insertion, timeoutMs: 10_000, shard: decided.shard, isOfShard: true })
    assert.deepEqual(await log.append([burst(2, DOMAIN), burst(3, DOMAIN)]), { stored: 1, duplicates: 1, expired: [] })
    assert.equal(await deliveries(opened), 3)
    assert.deepEqual((await log.batches.readHorizon()).unfinished, new Map())
  })

  test('a shard that another server holds is waited for until the deadline; other shards go on', async () => {
    const place = await logs.createPlace()
    await using opened = await openLog(place, { limits: { deadlineMs: 3000 } })
    const { log } = opened
    const isUnavailable = (error: unknown) => error instanceof AppError && error.code === 'storage_unavailable'
    await log.batches.hold(DOMAIN.number % log.writer.shards, WAIT_MS, async () => {
      const [held, free] = await Promise.allSettled([log.append([burst(1, DOMAIN)]), log.append([burst(1, OTHER)])])
      assert.ok(held.status === 'rejected' && isUnavailable(held.reason))
      assert.equal(free.status, 'fulfilled')
      assert.equal(log.health.queuedEvents, 0)
      // Of both shards: what could be stored is, and the rest is stored when it is sent again.
      await assert.rejects(log.append([burst(2, DOMAIN), burst(2, OTHER)]), isUnavailable)
    })
    const again = await log.append([burst(2, DOMAIN), burst(2, OTHER)])
    assert.deepEqual(again, { stored: 1, duplicates: 1, expired: [] })
  })

  test('a server that does not reach the event store keeps no other from writing after it has noticed', async () => {
    await using ways = new AsyncDisposableStack()
    const place = await logs.createPlace()
    const proxies: CutProxy[] = []
    for (const url of place.clickHouse.urls) {
      proxies.push(ways.use(await CutProxy.open({ port: Number(new URL(url).port), host: '127.0.0.1' })))
    }
    const urls = proxies.map(({ port }) => `http://127.0.0.1:${port}`)
    const cut = { ...place, clickHouse: { ...place.clickHouse, urls } }
    await using opened = await openLog(cut, { limits: { deadlineMs: 2000 } })
    await opened.log.append([burst(0, DOMAIN)])
    for (const proxy of proxies) proxy.cut()
    await assert.rejects(opened.log.append([burst(1, DOMAIN)]), AppError)
    let isRefused = false
    const refused = assert.rejects(opened.log.append([burst(2, DOMAIN)]), AppError).finally(() => {
      isRefused = true
    })
    await using other = await openLog(place)
    const shard = DOMAIN.number % other.log.writer.shards
    for (; !isRefused; await delay(5))
      assert.ok(await other.log.batches.tryHold(shard, async () => true), 'the lock is free')
    await refused
    for (const proxy of proxies) proxy.mend()
    await until(async () => opened.log.health.writable)
    assert.equal((await opened.log.append([burst(2, DOMAIN)])).stored, 1)
  })

  test('beyond its room a server refuses events at once, and takes them again when it has stored the others', async () => {
    const place = await logs.createPlace()
    await using opened = await openLog(place, { limits: { waitingEvents: 10 } })
    const events = Array.from({ length: 8 }, (_, index) => burst(index, DOMAIN))
    const first = opened.log.append(events)
    await assert.rejects(
      opened.log.append(events.slice(0, 3)),
      (error: unknown) => error instanceof AppError && error.code === 'overloaded',
    )
    assert.equal((await first).stored, 8)
    assert.equal((await opened.log.append(events.slice(0, 3))).duplicates, 3)
  })

  test('a call beyond the limits of a batch is stored in several, with exact results', async () => {
    const place = await logs.createPlace()
    await using opened = await openLog(place, { limits: { events: 7, days: 2 } })
    const events = Array.from({ length: 30 }, (_, index) =>
      burst(index % 25, DOMAIN, 1_772_323_200 + (index % 5) * 86_400),
    )
    assert.deepEqual(await opened.log.append(events), { stored: 25, duplicates: 5, expired: [] })
    assert.equal((await listAll(opened.log, queryOf([DOMAIN], 100))).length, 25)
    assert.equal(await deliveries(opened), 25)
  })

  test('events of thousands of domains are stored together, and recognized', async () => {
    await using opened = await logs.open()
    const events = Array.from({ length: 4000 }, (_, index) =>
      burst(1, { number: 1_000_000_000 + index, name: `${index}.test` }),
    )
    assert.deepEqual(await opened.log.append(events), { stored: 4000, duplicates: 0, expired: [] })
    assert.deepEqual(await opened.log.append(events), { stored: 0, duplicates: 4000, expired: [] })
  })

  test('every server hears which domains have new events, and that it does not know after its connection broke', async () => {
    const place = await logs.createPlace()
    await using one = await openLog(place)
    await using other = await openLog(place)
    const heard: unknown[] = []
    using _listening = other.log.arrivals.onArrival(
      (numbers) => void heard.push(numbers && [...numbers].sort((a, b) => a - b)),
    )
    await one.log.append([burst(1, DOMAIN), burst(2, { number: 6, name: 'c.test' })])
    await until(async () => heard.length > 0)
    assert.deepEqual(heard.splice(0), [[4, 6]])
    // More domains than a notice can name.
    await one.log.append(
      Array.from({ length: 600 }, (_, at) => burst(at, { number: 100 + at * one.log.writer.shards, name: 'd' })),
    )
    await until(async () => heard.length > 0)
    assert.deepEqual(heard.splice(0), [undefined])
    // Connections that listen, and those that have sent a pulse since.
    await one.control.db.run(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND (query LIKE 'LISTEN%' OR query = 'SELECT 1')",
    )
    await until(async () => heard.length >= 2)
    assert.deepEqual(new Set(heard), new Set([undefined]))
    heard.splice(0)
    await one.log.append([burst(3, DOMAIN)])
    await until(async () => heard.length > 0)
    assert.deepEqual(heard, [[DOMAIN.number]])
  })

  test('a shard that is lost does not stop the other one', async () => {
    await using opened = await logs.open()
    const { log, clickHouse } = opened
    assert.equal((await log.append([burst(1, DOMAIN), burst(1, OTHER)])).stored, 2)
    const lost = logs.cluster.servers.filter(({ shard }) => shard === DOMAIN.number % clickHouse.shards)
    for (const { url } of lost) {
      const body = `RENAME TABLE ${clickHouse.database}.event TO ${clickHouse.database}.lost`
      const answer = await fetch(url, { method: 'POST', body })
      assert.equal(answer.status, 200, await answer.text())
    }
    await assert.rejects(log.append([burst(2, DOMAIN)]), { code: 'storage_unavailable' })
    assert.deepEqual(await log.append([burst(1, OTHER), burst(2, OTHER)]), { stored: 1, duplicates: 1, expired: [] })
    assert.equal((await listAll(log, queryOf([OTHER], 10))).length, 2)
    await assert.rejects(listAll(log, queryOf([DOMAIN], 10)), { code: 'storage_unavailable' })
  })

  test('closing waits for what was accepted', async () => {
    const place = await logs.createPlace()
    const opened = await openLog(place)
    const appending = opened.log.append([burst(1, DOMAIN)])
    await opened[Symbol.asyncDispose]()
    assert.equal((await appending).stored, 1)
    await assert.rejects(opened.log.append([burst(2, DOMAIN)]), AppError)
  })
})
