/** What a reading thread knows, learns and gives up, on the thread of the test. */
import assert from 'node:assert/strict'
import { copyFileSync, readdirSync, readlinkSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import { AppError } from '../../../lib/app-error.ts'
import type { SeriesQuery } from '../../../stats/series.ts'
import type { DayTrouble } from '../../storage.ts'
import { openControlDatabase } from '../control/control-database.ts'
import { Database, type SqlValue } from '../database/database.ts'
import { failedOn } from '../database/storage-failure.ts'
import { type Day, dayOfTimestamp } from '../days/day.ts'
import type { DayCommit } from '../days/day-commit.ts'
import { DayFiles } from '../days/day-files.ts'
import { historyPath } from '../history/history-database.ts'
import type { HistoryNotice } from '../history/history-notice.ts'
import { HistoryWriter } from '../history/history-writer.ts'
import { SEARCH_THRESHOLDS } from '../reading/day-plan.ts'
import { DayWriters } from '../writing/day-writers.ts'
import { toEventRow } from '../writing/event-row.ts'
import { LogReads } from './log-reads.ts'
import { unpackCounts } from './packed-counts.ts'
import { unpackSeries } from './series-pack.ts'

const NOON = 1_772_366_400
const DAY = 86_400
/** Of commits: later than the files themselves, which are not older than their last commit. */
const BASE_MS = 4_000_000_000_000
const [TODAY, YESTERDAY] = [dayOfTimestamp(NOON), dayOfTimestamp(NOON - DAY)]

/** Two days with an event of domain 1 each. What is stored later has to be told to `reads`. */
function openScene() {
  const folder = openTemporaryFolder()
  openControlDatabase(folder.path).close()
  const files = new DayFiles(folder.path)
  let messages = 0
  const store = (timestamp: number, domains: readonly number[] = [1]): readonly DayCommit[] => {
    const writers = new DayWriters(files, () => false)
    const rows = domains.map((domainNumber) => {
      const event = { id: `m${messages++}`, timestamp, domain_name: 'a.test', recipient: 'u@b.test' }
      return toEventRow({ domainNumber, event: { ...event, type: 'Bounce' } })
    })
    const { commits } = writers.store([rows], BASE_MS + timestamp * 1000)
    writers.close()
    return commits
  }
  store(NOON)
  store(NOON - DAY)
  const troubles: DayTrouble[] = []
  const findings = { lost: 0 }
  const reads = new LogReads(
    { dataDir: folder.path, serviceMessageIdField: 'service_message_id', thresholds: SEARCH_THRESHOLDS },
    { onTrouble: (trouble) => troubles.push(trouble), onHistoryLost: () => findings.lost++ },
  )
  const count = async (domain = 1) => unpackCounts(await reads.counts([domain])).get(domain)?.bounce ?? 0
  const list = async (domain = 1) => {
    const window = { startTimestamp: 0, endTimestamp: NOON + DAY }
    const domains = [{ number: domain, name: 'a.test' }]
    const { events } = await reads.list({ domains, filters: {}, window, limit: 10, budgetMs: 60_000 })
    return events.map((text) => (JSON.parse(text) as { id: string }).id)
  }
  const series = async (query: Partial<SeriesQuery> = {}) => {
    const all: SeriesQuery = {
      domainNumbers: [1],
      fromHour: Math.floor((NOON - 2 * DAY) / 3600),
      toHour: Math.floor((NOON + DAY) / 3600),
      group: 'domain',
      byDay: false,
      filters: {},
      ...query,
    }
    const parts: number[][] = []
    for await (const part of reads.series(all)) parts.push(unpackSeries(part).map((one) => one.count))
    return parts
  }
  return {
    folder: folder.path,
    files,
    store,
    reads,
    troubles,
    findings,
    count,
    list,
    series,
    damage: (day: Day) => writeFileSync(files.path(day), Buffer.alloc(statSync(files.path(day)).size, 0xa5)),
    [Symbol.dispose]() {
      reads.close()
      folder[Symbol.dispose]()
    },
  }
}

describe('what is known of the days', () => {
  test('follows the commits that are announced; others are found once the last ones are forgotten', async () => {
    using scene = openScene()
    const { reads, store, count } = scene
    const first = await reads.lastArrival()
    assert.equal(await count(), 2)
    reads.learn(store(NOON))
    assert.equal(await count(), 3)
    const second = await reads.lastArrival()
    assert.notEqual(second, first)
    store(NOON)
    assert.deepEqual([await count(), await reads.lastArrival()], [3, second])
    reads.forget()
    assert.equal(await count(), 4)
    assert.notEqual(await reads.lastArrival(), second)
  })

  test('lacks a day that is set aside, until it is taken back', async () => {
    using scene = openScene()
    const { reads, count } = scene
    const before = await reads.lastArrival()
    assert.equal(await count(), 2)
    await reads.setAside(TODAY)
    assert.deepEqual([await count(), await scene.list()], [1, ['m1']])
    assert.notEqual(await reads.lastArrival(), before)
    reads.takeBack(TODAY)
    assert.deepEqual([await count(), await scene.list()], [2, ['m0', 'm1']])
    assert.equal(await reads.lastArrival(), before)
  })

  test('is that of the file which a repair has put in the place of another', async () => {
    using scene = openScene()
    const { reads, files } = scene
    const before = await reads.lastArrival()
    copyFileSync(files.path(TODAY), `${files.path(TODAY)}.repaired`)
    await reads.setAside(TODAY)
    // Under way when the day was set aside, and reported later.
    reads.learn(scene.store(NOON))
    files.remove(TODAY)
    renameSync(`${files.path(TODAY)}.repaired`, files.path(TODAY))
    reads.takeBack(TODAY)
    assert.deepEqual([await reads.lastArrival(), await scene.count()], [before, 2])
  })

  test('lacks days that were removed', async () => {
    using scene = openScene()
    assert.equal(await scene.reads.findNewestTimestamp(), NOON)
    scene.files.remove(TODAY)
    scene.reads.dropRemoved()
    assert.equal(await scene.reads.findNewestTimestamp(), NOON - DAY)
    assert.deepEqual(
      (await scene.reads.listDayUse()).map(({ day }) => day),
      [YESTERDAY],
    )
  })

  test('is not used any more for a day of which something was erased', async () => {
    using scene = openScene()
    assert.deepEqual([await scene.list(2), await scene.count(2)], [[], 0])
    scene.store(NOON, [2])
    assert.deepEqual(await scene.list(2), [])
    scene.reads.dropErased(TODAY)
    assert.deepEqual(await scene.list(2), ['m2'])
  })
})

describe('a damaged day', () => {
  test('is left out and reported once, by every kind of read', async () => {
    for (const read of ['list', 'count'] as const) {
      using scene = openScene()
      scene.damage(TODAY)
      for (const _ of [1, 2]) assert.equal([await scene[read]()].flat().length, 1)
      assert.deepEqual(await scene.list(), ['m1'])
      assert.equal(await scene.count(), 1)
      assert.deepEqual(
        scene.troubles.map(({ day, kind }) => [day, kind]),
        [[TODAY, 'damaged']],
      )
    }
  })

  test('interrupts a series, which is complete without it when it is asked for again', async () => {
    using scene = openScene()
    scene.damage(TODAY)
    await assert.rejects(scene.series(), { code: 'storage_unavailable' })
    assert.deepEqual(
      scene.troubles.map(({ day }) => day),
      [TODAY],
    )
    assert.deepEqual(await scene.series(), [[1]])
  })
})

describe('a disk that fails to read a day', () => {
  /** The first reads of today's file fail. Returns how many did. */
  async function failing(scene: ReturnType<typeof openScene>, error: object, most: number, work: () => Promise<void>) {
    const path = scene.files.path(TODAY)
    type AllArrays = (this: Database, sql: string, ...values: SqlValue[]) => SqlValue[][]
    const allArrays = Reflect.get(Database.prototype, 'allArrays') as AllArrays
    let failed = 0
    const failingFirst: AllArrays = function (sql, ...values) {
      if (this.path === path && failed < most) {
        failed++
        throw failedOn(path, Object.assign(new Error('it failed'), error))
      }
      return allArrays.call(this, sql, ...values)
    }
    Object.assign(Database.prototype, { allArrays: failingFirst })
    try {
      await work()
    } finally {
      Object.assign(Database.prototype, { allArrays })
    }
    return failed
  }
  const IOERR_READ = 266
  const BUSY = 5

  test('is asked once more', async () => {
    using scene = openScene()
    const failed = await failing(scene, { errcode: IOERR_READ }, 1, async () => {
      assert.deepEqual(await scene.list(), ['m0', 'm1'])
    })
    assert.deepEqual([failed, scene.troubles], [1, []])
  })

  test('twice, has the day left out', async () => {
    using scene = openScene()
    const failed = await failing(scene, { errcode: IOERR_READ }, 10, async () => {
      assert.deepEqual(await scene.list(), ['m1'])
      assert.deepEqual(await scene.list(), ['m1'])
    })
    assert.equal(failed, 2)
    assert.deepEqual(
      scene.troubles.map(({ day, kind }) => [day, kind]),
      [[TODAY, 'unreadable']],
    )
  })

  test('for another reason, is reported to who has asked', async () => {
    using scene = openScene()
    await failing(scene, { errcode: BUSY }, 10, async () => {
      await assert.rejects(scene.list(), { code: 'storage_unavailable' })
    })
    await failing(scene, {}, 10, async () => {
      await assert.rejects(scene.list(), (error) => error instanceof Error && !(error instanceof AppError))
    })
    assert.deepEqual([await scene.list(), scene.troubles], [['m0', 'm1'], []])
  })
})

test('a failure that is none of the storage is passed on', async () => {
  using scene = openScene()
  await assert.rejects(scene.series({ filters: null as never }), TypeError)
  const window = { startTimestamp: 0, endTimestamp: NOON }
  const domains = [{ number: 1, name: 'a.test' }]
  const query = { domains, filters: {}, window, limit: 1, budgetMs: 1000, after: 'no position' }
  await assert.rejects(scene.reads.list(query), AppError)
  assert.deepEqual([scene.troubles, scene.findings.lost], [[], 0])
})

test('a damaged history index interrupts a series and is reported; other reads go on without it', async () => {
  for (const isSeries of [true, false]) {
    using scene = openScene()
    const notices: HistoryNotice[] = []
    const { folder, files } = scene
    const options = { dataDir: folder, files, isBusy: () => false, quietMs: 0 }
    const writer = new HistoryWriter({ ...options, notify: (notice) => notices.push(notice) })
    while (writer.step() === 0);
    writer.close()
    {
      using db = new Database(historyPath(folder))
      for (const [table, column] of [
        ['domain_day', 'hours'],
        ['domain_span', 'counts'],
      ]) {
        db.run(`UPDATE ${table} SET ${column} = zeroblob(length(${column}))`)
      }
    }
    scene.reads.learnSummarized(notices.flatMap((notice) => ('summarized' in notice ? notice.summarized : [])))
    if (isSeries) await assert.rejects(scene.series(), { code: 'storage_unavailable' })
    assert.deepEqual(await scene.list(), ['m0', 'm1'])
    assert.equal(scene.findings.lost, 1)
    assert.deepEqual(await scene.series(), [[1, 1]])
    assert.deepEqual(scene.troubles, [])
  }
})

test('a series comes in parts of 5,000 counts, and without empty ones', async () => {
  using scene = openScene()
  const domainNumbers = Array.from({ length: 10_001 }, (_, index) => 10 + index)
  scene.reads.learn(scene.store(NOON, domainNumbers))
  const sizes = async (domains: number) => {
    const parts = await scene.series({ domainNumbers: domainNumbers.slice(0, domains) })
    return parts.map(({ length }) => length)
  }
  assert.deepEqual(await sizes(0), [])
  assert.deepEqual(await sizes(1), [1])
  assert.deepEqual(await sizes(5000), [5000])
  assert.deepEqual(await sizes(10_001), [5000, 5000, 1])
})

test('nothing stays open after it is closed', async () => {
  using scene = openScene()
  const listOpen = () => {
    const links = readdirSync('/proc/self/fd').map((name) => {
      try {
        return readlinkSync(`/proc/self/fd/${name}`)
      } catch {
        return ''
      }
    })
    return links.filter((path) => path.startsWith(scene.folder))
  }
  assert.equal((await scene.list()).length, 2)
  assert.ok(listOpen().length > 0)
  scene.reads.close()
  assert.deepEqual(listOpen(), [])
})
