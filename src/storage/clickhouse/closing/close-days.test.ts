/** Totals of closed days on a real cluster: every event counts exactly once at any moment, whatever comes late or is removed. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { openCluster, type SharedCluster } from '../../../../test/harness/storage/clickhouse/cluster.ts'
import { openUpkeepScene, type UpkeepScene } from '../../../../test/harness/storage/clickhouse/upkeep.ts'
import { PostgresDatabases } from '../../../../test/harness/storage/postgres-databases.ts'
import type { EventType } from '../../../events/event.ts'
import type { AttributedEvent } from '../../../events/log/event-log.ts'
import { newDomain, TENANT } from '../../contract/control/domain-scene.ts'
import { createDomainStore } from '../../postgres/control/postgres-domain-store.ts'
import { createRemovalStore } from '../../postgres/control/postgres-removal-store.ts'
import { openClickHouseLog } from '../clickhouse-event-log.ts'
import { countDomains } from '../counts/domain-counts.ts'
import { decideCorrection } from '../recount/correction.ts'
import { Recounter } from '../recount/recounter.ts'
import { BudgetError, type ClickHouse } from '../server/clickhouse.ts'
import { dayOf } from '../upkeep/day.ts'
import { foldDay } from '../upkeep/fold-day.ts'
import { Totals } from '../upkeep/totals.ts'
import { closeDays, lastDayToClose, reopenDays } from './close-days.ts'

const DAY = 86_400
/** 2026-03-01 */
const START = 1_772_323_200

let cluster: SharedCluster
let databases: PostgresDatabases
before(async () => {
  ;[cluster, databases] = await Promise.all([openCluster(), PostgresDatabases.start()])
})
after(async () => {
  await cluster[Symbol.asyncDispose]()
  await databases[Symbol.asyncDispose]()
})

function sent(domainNumber: number, day: number, index = 0, type: EventType = 'Delivery'): AttributedEvent {
  const event = {
    id: `message-${index}`,
    timestamp: START + day * DAY + index,
    type,
    domain_name: `d${domainNumber}.test`,
    recipient: `user${index}@b.test`,
  } as const
  return { domainNumber, event, extension: {} }
}

const depsOf = ({ db, clickHouse, writer }: UpkeepScene) => ({ db, clickHouse, access: writer })

async function deliveries({ db, clickHouse }: UpkeepScene, domains: readonly number[]): Promise<readonly number[]> {
  const counts = await countDomains(clickHouse, new Totals(db), domains)
  return domains.map((domain) => counts.get(domain)?.delivery ?? 0)
}

/** With other methods. */
function changed(clickHouse: ClickHouse, methods: Partial<ClickHouse>): ClickHouse {
  return new Proxy(clickHouse, {
    get(target, name) {
      const value: unknown = Reflect.get(name in methods ? methods : target, name)
      return typeof value === 'function' && !(name in methods) ? value.bind(target) : value
    },
  })
}

/** Domains and their deliveries on closed days. */
async function closedTotals({ db }: UpkeepScene): Promise<readonly (readonly [number, number])[]> {
  const rows = await db.all<{ number: number; delivery: number }>(
    'SELECT domain_number AS number, delivery FROM closed_total ORDER BY 1',
  )
  return rows.map(({ number, delivery }) => [number, delivery])
}

describe('closed days in ClickHouse', () => {
  test('are counted in PostgreSQL, with what comes late, once', async () => {
    await using scene = await openUpkeepScene(cluster, databases)
    const { writer } = scene
    await writer.append([0, 1, 12, 13].flatMap((day) => [sent(1, day), sent(2, day), sent(2, day, 1)]))
    await closeDays(depsOf(scene), '2026-03-13')
    // Twelve days later there are none to be closed, and nothing is added twice.
    await closeDays(depsOf(scene), '2026-03-13')
    await closeDays(depsOf(scene), '2026-03-02')
    assert.deepEqual(await closedTotals(scene), [
      [1, 3],
      [2, 6],
    ])
    assert.deepEqual(await deliveries(scene, [1, 2, 3]), [4, 8, 0])
    // Late, on the last closed day and on the first open one; a duplicate; a domain that was not known before.
    const late = [sent(2, 12, 2), sent(2, 13, 2), sent(2, 12), sent(3, 0)]
    assert.deepEqual(await writer.append(late), { stored: 3, duplicates: 1, expired: [] })
    assert.deepEqual(await closedTotals(scene), [
      [1, 3],
      [2, 7],
      [3, 1],
    ])
    assert.deepEqual(await deliveries(scene, [1, 2, 3]), [4, 10, 1])
    assert.deepEqual(await new Recounter(depsOf(scene)).run(), [])
  })

  test('have the counters of the types that are counted, wherever they are', async () => {
    await using scene = await openUpkeepScene(cluster, databases)
    const types = ['Reception', 'Delivery', 'Opened', 'Bounce', 'OOBBounce'] as const
    await scene.writer.append([0, 1].flatMap((day) => types.map((type, index) => sent(1, day, index, type))))
    await scene.writer.append([sent(1, 0, 9, 'Bounce')])
    const expectCounts = async (bounce: number) => {
      const counts = await countDomains(scene.clickHouse, new Totals(scene.db), [1])
      const { changedAtMs: _, ...counted } = counts.get(1) ?? assert.fail()
      assert.deepEqual(counted, { bounce, delivery: 2, reception: 2 })
    }
    await expectCounts(3)
    await closeDays(depsOf(scene), '2026-03-02')
    await expectCounts(3)
    await scene.writer.append([sent(1, 1, 10, 'Bounce'), sent(1, 1, 11, 'Click')])
    await expectCounts(4)
    await foldDay(depsOf(scene), '2026-03-01')
    await expectCounts(4)
    assert.deepEqual(await scene.db.all('SELECT * FROM closed_total'), [
      { domain_number: 1, bounce: 2, delivery: 1, reception: 1 },
    ])
  })

  test('are not read again: counts ask ClickHouse for the hours after them', async () => {
    await using scene = await openUpkeepScene(cluster, databases)
    await scene.writer.append([0, 400, 800].map((day) => sent(1, day)))
    await closeDays(depsOf(scene), lastDayToClose((START + 802 * DAY) * 1000))
    const statements: string[] = []
    const watched = changed(scene.clickHouse, {
      selectOf: (domains, toSql) =>
        scene.clickHouse.selectOf(domains, (source) => {
          statements.push(toSql(source))
          return toSql(source)
        }),
    })
    const totals = new Totals(scene.db)
    for (let times = 0; times < 2; times++) {
      statements.length = 0
      assert.equal((await countDomains(watched, totals, [1])).get(1)?.delivery, 3)
    }
    assert.match(statements.join('\n'), new RegExp(`hour >= ${START / 3600 + 801 * 24}\\b`))
  })

  test('counts are exact at every moment, while days are closed, removed and opened by two servers and events come late', async () => {
    await using scene = await openUpkeepScene(cluster, databases)
    await using other = await scene.beside()
    await scene.writer.append([-1, 0, 1, 2, 3, 9].flatMap((day) => [sent(1, day), sent(2, day)]))
    const totals = new Totals(scene.db)
    const seen: number[] = []
    let [stored, isDone] = [6, false]
    const reading = (async () => {
      while (!isDone) {
        // An event counts from its decision on, a moment before it is acknowledged.
        const least = stored
        const found = (await countDomains(scene.clickHouse, totals, [1])).get(1)?.delivery ?? 0
        assert.ok(found >= least && found <= stored + 1, `${found} events, and ${stored} are stored`)
        seen.push(found)
      }
    })()
    const both = [scene, other]
    for (const day of [1, 2, 3, 4]) {
      const lastDay = `2026-03-0${day}`
      await Promise.all([
        ...both.map((each) => closeDays(depsOf(each), lastDay)),
        // Of an open day, of a closed one, of one that is being closed.
        scene.writer.append([sent(1, 9, day)]).then(() => stored++),
      ])
      await Promise.all([
        ...both.map((each) => foldDay(depsOf(each), dayOf((START + (day - 2) * DAY) * 1000))),
        other.writer.append([sent(1, day - 1, 50)]).then(() => stored++),
      ])
      if (day === 3) await scene.db.transaction(reopenDays)
    }
    isDone = true
    await reading
    assert.ok(seen.length > 3)
    assert.equal(stored, 14)
    assert.deepEqual(await deliveries(scene, [1, 2]), [14, 6])
    assert.deepEqual(await new Recounter(depsOf(scene)).run(), [])
  })

  test('a day that is removed while it is being closed counts once', async () => {
    await using scene = await openUpkeepScene(cluster, databases)
    await scene.writer.append([0, 1, 2].map((day) => sent(1, day)))
    const { clickHouse } = scene
    let hasRemoved = false
    const interrupted = changed(clickHouse, {
      async select(sql, options) {
        const rows = await clickHouse.select(sql, options)
        // The sums of the first day are read; now it is removed.
        if (sql.includes('HAVING') && !hasRemoved) {
          hasRemoved = true
          await foldDay(depsOf(scene), '2026-03-01')
        }
        return rows
      },
    })
    await closeDays({ ...depsOf(scene), clickHouse: interrupted }, '2026-03-02')
    assert.equal(hasRemoved, true)
    assert.deepEqual(await closedTotals(scene), [[1, 1]])
    assert.deepEqual(await deliveries(scene, [1]), [3])
  })

  test('recount names totals that are not those of their hours, and repairs them', async () => {
    await using scene = await openUpkeepScene(cluster, databases)
    const { db, clickHouse } = scene
    await scene.writer.append([0, 1, 5].flatMap((day) => [sent(1, day), sent(2, day), sent(3, day)]))
    await closeDays(depsOf(scene), '2026-03-02')
    await foldDay(depsOf(scene), '2026-03-01')
    await db.run('UPDATE closed_total SET delivery = 7, reception = 2 WHERE domain_number = 1')
    await db.run('DELETE FROM closed_total WHERE domain_number = 2')
    await db.run('INSERT INTO closed_total VALUES (40000, 2, 0, 0)')
    const recounter = new Recounter(depsOf(scene))
    const wrong = await recounter.run()
    assert.deepEqual(wrong.toSorted(), [
      'up to 2026-03-02: domain 1, delivery: sum of closed days 7, sum of hourly counters 1; reception: sum of closed days 2, sum of hourly counters 0',
      'up to 2026-03-02: domain 2, delivery: sum of closed days 0, sum of hourly counters 1',
      'up to 2026-03-02: domain 40000, bounce: sum of closed days 2, sum of hourly counters 0',
    ])
    assert.deepEqual(await recounter.run({ isRepairing: true }), wrong)
    assert.deepEqual(await recounter.run(), [])
    assert.deepEqual(await deliveries(scene, [1, 2, 3]), [3, 3, 3])
    // Counters of closed days that were wrong are corrected in the totals, too.
    await clickHouse.insert({
      table: 'event_hour',
      token: 'x',
      timeoutMs: 8000,
      shard: 0,
      format: 'TabSeparated',
      columns: ['domain', 'hour', 'type', 'n', 'batch'],
      body: Buffer.from(`2\t${START / 3600 + 24}\t1\t5\tx\n`),
    })
    assert.equal((await recounter.run({ isRepairing: true })).length > 0, true)
    assert.deepEqual(await recounter.run(), [])
    assert.deepEqual(await deliveries(scene, [1, 2, 3]), [3, 3, 3])
  })

  test('a day that is being removed is not corrected: its events go before its counts', async () => {
    await using scene = await openUpkeepScene(cluster, databases)
    const { db } = scene
    await scene.writer.append([sent(1, 0), sent(1, 1)])
    await closeDays(depsOf(scene), '2026-03-01')
    const wrong = { domain: 1, hour: START / 3600, type: 1, provider: '', classification: '', counted: 1, events: 0 }
    const correct = () => scene.writer.whileIdle(1, (held) => decideCorrection(held, 'event_hour', [wrong]))
    await db.run("UPDATE shard SET cut_day = '2026-03-02'")
    await correct()
    assert.deepEqual([await closedTotals(scene), await deliveries(scene, [1])], [[[1, 1]], [2]])
    await db.run("UPDATE shard SET cut_day = '2026-03-01'")
    await correct()
    assert.deepEqual([await closedTotals(scene), await deliveries(scene, [1])], [[[1, 0]], [1]])
  })

  test('totals of a removed domain are deleted, and never made again', async () => {
    await using scene = await openUpkeepScene(cluster, databases)
    const { db } = scene
    await scene.writer.append([0, 1].flatMap((day) => [sent(1, day), sent(2, day)]))
    await closeDays(depsOf(scene), '2026-03-01')
    await db.run("INSERT INTO tenant (id, client_id, name, created_at_ms) VALUES ($1, 'c', 'T', 0)", TENANT)
    const domain = await createDomainStore(db).create(newDomain(1))
    assert.equal(domain.number, 1)
    await createRemovalStore(db).removeDomain(domain.id, { id: 'r', requestedBy: 'x', requestedAtMs: 0 })
    assert.deepEqual(await closedTotals(scene), [[2, 1]])
    await closeDays(depsOf(scene), '2026-03-02')
    assert.deepEqual(await closedTotals(scene), [[2, 2]])
    assert.deepEqual(await new Recounter(depsOf(scene)).run(), [])
  })

  test('a shard that was added later has closed days, too, before anything is decided about it', async () => {
    await using scene = await openUpkeepScene(cluster, databases)
    const { db } = scene
    await scene.writer.append([sent(1, 0), sent(2, 0)])
    // As after a change of the number of shards: domains of the shard have a history.
    await db.run('DELETE FROM shard WHERE number = 0')
    for (let times = 0; times < 2; times++) {
      await closeDays(depsOf(scene), '2026-03-02')
      assert.deepEqual(await deliveries(scene, [1, 2]), [1, 1])
    }
    assert.deepEqual(await closedTotals(scene), [
      [1, 1],
      [2, 1],
    ])
    // Totals without a closed day are of no use to anybody.
    await db.run('UPDATE shard SET closed_day = NULL')
    const recounter = new Recounter(depsOf(scene))
    assert.equal((await recounter.run({ isRepairing: true })).length, 2)
    assert.deepEqual(await deliveries(scene, [1, 2]), [1, 1])
  })

  test('days that are opened while others are being closed count once', async () => {
    await using scene = await openUpkeepScene(cluster, databases)
    await scene.writer.append([0, 1, 2].map((day) => sent(1, day)))
    await closeDays(depsOf(scene), '2026-03-01')
    const { clickHouse, db } = scene
    let hasOpened = false
    const interrupted = changed(clickHouse, {
      async select(sql, options) {
        const rows = await clickHouse.select(sql, options)
        if (sql.includes('HAVING') && !hasOpened) {
          hasOpened = true
          await db.transaction(reopenDays)
        }
        return rows
      },
    })
    await closeDays({ ...depsOf(scene), clickHouse: interrupted }, '2026-03-02')
    assert.equal(hasOpened, true)
    assert.deepEqual(await closedTotals(scene), [[1, 2]])
    assert.deepEqual(await deliveries(scene, [1]), [3])
  })

  test('are closed in fewer steps at a time if ClickHouse is slow, and one by one if need be; another shard is not kept', async () => {
    await using scene = await openUpkeepScene(cluster, databases)
    const days = Array.from({ length: 10 }, (_, day) => day)
    await scene.writer.append(days.flatMap((day) => [sent(1, day), sent(2, day)]))
    const { clickHouse, db } = scene
    const closedDays = async () =>
      (await db.all<{ day: string }>('SELECT closed_day AS day FROM shard ORDER BY number')).map(({ day }) => day)
    /** Takes too long for more than a day of shard 0, or for anything. */
    const slow = (isTooMuch: (hours: number) => boolean) =>
      changed(clickHouse, {
        select(sql, options) {
          const [, from, to] = /hour >= (\d+) AND hour < (\d+) AND domain % 2 = 0/.exec(sql) ?? []
          if (from !== undefined && isTooMuch(Number(to) - Number(from))) throw new BudgetError('too long')
          return clickHouse.select(sql, options)
        },
      })
    const stuck = closeDays({ ...depsOf(scene), clickHouse: slow(() => true) }, '2026-03-08')
    await assert.rejects(stuck, /ClickHouse takes too long to add up the counts of 2026-03-01/)
    assert.deepEqual(await closedDays(), [null, '2026-03-08'])
    await closeDays(depsOf(scene), '2026-03-01')
    await closeDays({ ...depsOf(scene), clickHouse: slow((hours) => hours > 24) }, '2026-03-08')
    assert.deepEqual(await closedDays(), ['2026-03-08', '2026-03-08'])
    assert.deepEqual(await deliveries(scene, [1, 2]), [10, 10])
  })

  test('are closed by the engine itself: the day before yesterday and all before it', async () => {
    await using scene = await openUpkeepScene(cluster, databases)
    const { db, clickHouse } = scene
    await scene.writer.append([0, 1, 2].map((day) => sent(1, day)))
    const nowMs = (START + 3.5 * DAY) * 1000
    const log = await openClickHouseLog({ db, clickHouse, clock: () => nowMs, serviceMessageIdField: 'x' })
    await log.upkeep.capabilities.closing?.run(nowMs, AbortSignal.timeout(60_000))
    assert.deepEqual(await closedTotals(scene), [[1, 2]])
    assert.equal((await log.counts([1])).get(1)?.delivery, 3)
    await log.close()
  })
})
