/** Retention and recount on a real cluster: whole days, every event counted exactly once at any moment. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { openCluster, type SharedCluster } from '../../../../test/harness/storage/clickhouse/cluster.ts'
import { openUpkeepScene, type UpkeepScene } from '../../../../test/harness/storage/clickhouse/upkeep.ts'
import { PostgresDatabases } from '../../../../test/harness/storage/postgres-databases.ts'
import type { AttributedEvent } from '../../../events/log/event-log.ts'
import { openClickHouseLog } from '../clickhouse-event-log.ts'
import { countDomains } from '../counts/domain-counts.ts'
import { Recounter } from '../recount/recounter.ts'
import { foldDay } from './fold-day.ts'
import { listDays } from './list-days.ts'
import { dropFolded, removeBefore } from './remove-before.ts'
import { Totals } from './totals.ts'

const DAY = 86_400
const START = 1_772_323_200
/** Shorter than a read, and than any step of a removal; without it, the servers would have nothing else to do. */
const READ_PAUSE_MS = 20

let cluster: SharedCluster
let databases: PostgresDatabases
before(async () => {
  ;[cluster, databases] = await Promise.all([openCluster(), PostgresDatabases.start()])
})
after(async () => {
  await cluster[Symbol.asyncDispose]()
  await databases[Symbol.asyncDispose]()
})

function sent(domainNumber: number, day: number, index = 0): AttributedEvent {
  const event = {
    id: `message-${index}`,
    timestamp: START + day * DAY + index,
    type: 'Delivery',
    domain_name: `d${domainNumber}.test`,
    recipient: `user${index}@b.test`,
  } as const
  return { domainNumber, event, extension: { sending_address: '192.0.2.1' } }
}

const depsOf = ({ db, clickHouse, writer }: UpkeepScene) => ({ db, clickHouse, access: writer })

async function count({ clickHouse }: UpkeepScene, totals: Totals, domain: number): Promise<number> {
  const counts = await countDomains(clickHouse, totals, [domain])
  return counts.get(domain)?.delivery ?? 0
}

/** Times of the events of domain 1, newest first, by every way of reading, on a server that starts now. */
async function readEverywhere({ db, clickHouse }: UpkeepScene) {
  const log = await openClickHouseLog({ db, clickHouse, clock: () => START * 1000, serviceMessageIdField: 'x' })
  try {
    const page = { domains: [{ number: 1, name: 'd1.test' }], limit: 10, budgetMs: 30_000 }
    const window = { startTimestamp: 0, endTimestamp: START + 9 * DAY }
    const listed = await log.list({ ...page, filters: {}, window })
    const ofMessage = await log.listMessage({ ...page, messageId: 'message-0' })
    const arrived = await log.arrivals.list({ ...page, filters: {}, after: 'a1' })
    const hours: number[] = []
    const range = { fromHour: 0, toHour: START / 3600 + 240 }
    for await (const counts of log.series({ ...range, domainNumbers: [1], filters: {}, group: 'type' })) {
      hours.push(...counts.map(({ hour }) => hour * 3600))
    }
    assert.equal(await log.findNewestTimestamp(), START + DAY)
    return {
      listed: timesOf(listed.events.map(timestampOf)),
      ofMessage: timesOf(ofMessage.events.map(timestampOf)),
      arrived: timesOf(arrived.events.map(({ text }) => timestampOf(text))),
      inSeries: timesOf(hours),
    }
  } finally {
    await log.close()
  }
}

const timestampOf = (text: string) => (JSON.parse(text) as { timestamp: number }).timestamp

function timesOf(seconds: readonly number[]): readonly string[] {
  return seconds.toSorted((a, b) => b - a).map((second) => new Date(second * 1000).toISOString())
}

describe('retention in ClickHouse', () => {
  test('removes whole days on all shards, keeps their counts, and refuses later events of that time', async () => {
    await using scene = await openUpkeepScene(cluster, databases)
    const { clickHouse, writer, db } = scene
    await writer.append([0, 1, 5].flatMap((day) => [sent(1, day), sent(2, day), sent(2, day, 1)]))
    assert.deepEqual(
      (await listDays(clickHouse)).map(({ day, events }) => [day, events]),
      [
        ['2026-03-06', 3],
        ['2026-03-02', 3],
        ['2026-03-01', 3],
      ],
    )
    const remove = () => removeBefore(depsOf(scene), (START + 2 * DAY + 5) * 1000)
    assert.deepEqual(await remove(), ['2026-03-01', '2026-03-02'])
    const mutations = `SELECT count() FROM system.mutations WHERE database = '${clickHouse.database}' AND table = 'event'`
    const [[statements] = []] = await clickHouse.select(mutations, { isStrict: false })
    // ClickHouse may pass over a part once; what is repeated until the time is over is sent more often.
    assert.ok(statements === '1' || statements === '2', `${statements} statements`)
    assert.deepEqual(await clickHouse.select('SELECT count() FROM event_all_2 WHERE domain < 1000'), [['3']])
    assert.deepEqual(await clickHouse.select('SELECT count() FROM sending_hour_all_2 WHERE domain < 1000'), [['2']])
    assert.equal(await count(scene, new Totals(db), 2), 6)
    assert.deepEqual(await remove(), [])
    assert.deepEqual(await writer.append([sent(1, 0), sent(1, 1, 7), sent(1, 2)]), {
      stored: 1,
      duplicates: 0,
      expired: [0, 1],
    })
    assert.equal(await count(scene, new Totals(db), 1), 4)
    assert.deepEqual(await new Recounter(depsOf(scene)).run(), [])
  })

  test('counts are exact at every moment, with two servers removing and somebody who reads all the time', async () => {
    await using scene = await openUpkeepScene(cluster, databases)
    await using other = await scene.beside()
    const days = [0, 1, 2, 3]
    await scene.writer.append(days.flatMap((day) => [sent(1, day), sent(2, day), sent(1, day, 1)]))
    let isDone = false
    const totals = new Totals(scene.db)
    const wrong: number[] = []
    let reads = 0
    const reading = (async () => {
      for (; !isDone; reads++, await delay(READ_PAUSE_MS)) {
        const found = await count(scene, totals, 1)
        if (found !== 8) wrong.push(found)
      }
    })()
    // One day, then two at once.
    for (const day of [1, 3]) {
      const timeMs = (START + day * DAY) * 1000
      await Promise.all([scene, other].map((each) => removeBefore(depsOf(each), timeMs)))
    }
    isDone = true
    await reading
    assert.deepEqual(wrong, [])
    assert.ok(reads > 3)
    assert.deepEqual(await scene.clickHouse.select('SELECT count() FROM event_all_2 WHERE domain < 1000'), [['3']])
  })

  test('a day that was added to the totals and not dropped is not shown, counts once, and is dropped by the next run', async () => {
    await using scene = await openUpkeepScene(cluster, databases)
    const { db, clickHouse } = scene
    await scene.writer.append([sent(1, 0), sent(1, 1)])
    const both = ['2026-03-02T00:00:00.000Z', '2026-03-01T00:00:00.000Z']
    assert.deepEqual(await readEverywhere(scene), { listed: both, ofMessage: both, arrived: both, inSeries: both })
    await Promise.all([foldDay(depsOf(scene), '2026-03-01'), foldDay(depsOf(scene), '2026-03-01')])
    await foldDay(depsOf(scene), '2026-03-01')
    const totals = new Totals(db)
    assert.equal(await count(scene, totals, 1), 2)
    // A server that was started in between.
    const left = ['2026-03-02T00:00:00.000Z']
    assert.deepEqual(await readEverywhere(scene), { listed: left, ofMessage: left, arrived: left, inSeries: left })
    assert.deepEqual(await clickHouse.select('SELECT count() FROM event_all_2 WHERE domain < 1000'), [['2']])
    assert.deepEqual(await dropFolded({ db, clickHouse }), ['2026-03-01'])
    assert.deepEqual(await dropFolded({ db, clickHouse }), [])
    assert.equal(await count(scene, totals, 1), 2)
    assert.deepEqual(await clickHouse.select('SELECT count() FROM event_all_2 WHERE domain < 1000'), [['1']])
  })
})

describe('recount in ClickHouse', () => {
  test('names each wrong counter and each event that is stored twice, and repairs counters', async () => {
    await using scene = await openUpkeepScene(cluster, databases)
    const { clickHouse, writer } = scene
    await writer.append([sent(1, 0), sent(2, 0), sent(2, 1), sent(2, 1, 1)])
    const recounter = new Recounter(depsOf(scene))
    assert.deepEqual(await recounter.run(), [])
    const hour = START / 3600
    const insert = { timeoutMs: 8000, shard: 0, format: 'TabSeparated' } as const
    await clickHouse.insert({
      ...insert,
      table: 'event_hour',
      token: 'x',
      columns: ['domain', 'hour', 'type', 'n', 'batch'],
      body: Buffer.from(`1\t${hour}\t1\t5\tx\n3\t${hour}\t1\t-2\tx\n`),
    })
    const wrong = await recounter.run()
    assert.equal(wrong.length, 2)
    assert.match(
      wrong.join('\n'),
      /^2026-03-01: domain 1, hour 0, \w+: counter [56], events [01]\n.* domain 3, hour 0, \w+: counter -2, events 0$/,
    )
    assert.deepEqual(await recounter.run({ isRepairing: true }), wrong)
    assert.deepEqual(await recounter.run(), [])
    assert.deepEqual(
      await clickHouse.select('SELECT domain, sum(n) FROM event_hour_all_2 GROUP BY domain ORDER BY domain'),
      [
        ['1', '1'],
        ['2', '3'],
        ['3', '0'],
      ],
    )

    const copy = `INSERT INTO event_all_2 SELECT * FROM event_all_2 WHERE domain = 2 AND timestamp > ${START + DAY}`
    await clickHouse.command(copy, { insert_distributed_sync: 1, insert_quorum: 2 })
    const twins = await recounter.run()
    assert.match(twins.join('\n'), /^2026-03-02: domain 2, an event of message "message-1" is stored 2 times/)
  })
})
