import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { test } from 'node:test'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import { openControlDatabase } from '../control/control-database.ts'
import { dayOfTimestamp } from '../days/day.ts'
import type { DayCommit } from '../days/day-commit.ts'
import { DayFiles } from '../days/day-files.ts'
import { HistoryReader } from '../history/history-reader.ts'
import { SEARCH_THRESHOLDS } from '../reading/day-plan.ts'
import { DayReaders } from '../reading/day-readers.ts'
import { DayWriters } from '../writing/day-writers.ts'
import { toEventRow } from '../writing/event-row.ts'
import { removeDaysBefore } from '../writing/retention.ts'
import { DomainTotals } from './domain-totals.ts'

const NOON = 1_772_366_400
const DAY = 86_400

/** Three days with a bounce each. */
function openTotals() {
  const folder = openTemporaryFolder()
  const control = openControlDatabase(folder.path)
  const files = new DayFiles(folder.path)
  const writers = new DayWriters(files, () => false)
  let messages = 0
  const store = (...timestamps: number[]): readonly DayCommit[] => {
    const rows = timestamps.map((timestamp) => {
      const event = { id: `m${messages++}`, timestamp, domain_name: 'a.test', recipient: 'u@b.test' }
      return toEventRow({ domainNumber: 1, event: { ...event, type: 'Bounce' } })
    })
    return writers.store([rows], NOON * 1000 + messages).commits
  }
  store(NOON, NOON - DAY, NOON - 2 * DAY)
  const readers = new DayReaders(files, 'service_message_id', SEARCH_THRESHOLDS, {
    history: new HistoryReader(folder.path),
  })
  const totals = new DomainTotals(control, readers)
  const learn = (commits: readonly DayCommit[]) => {
    readers.learn(commits)
    totals.learn(commits)
  }
  const remove = (before: number) => {
    removeDaysBefore(control, files, writers, before * 1000)
    readers.dropRemoved()
  }
  const bounces = async () => (await totals.list([1, 2])).get(1)?.bounce
  const close = () => {
    readers.close()
    writers.close()
    control.close()
    folder[Symbol.dispose]()
  }
  return { files, totals, store, learn, remove, bounces, [Symbol.dispose]: close }
}

test('a reported commit counts at once; reported twice, or after it was read from the file, it counts once', async () => {
  using scene = openTotals()
  const early = scene.store(NOON)
  assert.equal(await scene.bounces(), 4)
  scene.learn(early)
  assert.equal(await scene.bounces(), 4)
  const late = scene.store(NOON, NOON + DAY)
  scene.learn(late)
  scene.learn(late)
  assert.equal(await scene.bounces(), 6)
  assert.equal((await scene.totals.list([1])).get(1)?.changedAtMs, NOON * 1000 + 6)
  assert.equal((await scene.totals.list([2])).size, 0)
})

test('after a missed commit everything is counted again', async () => {
  using scene = openTotals()
  assert.equal(await scene.bounces(), 3)
  scene.store(NOON)
  scene.learn(scene.store(NOON))
  assert.equal(await scene.bounces(), 5)
})

test('commits that are reported while the days are being read count once', async () => {
  using scene = openTotals()
  const counting = scene.bounces()
  scene.learn(scene.store(NOON, NOON - DAY, NOON - 2 * DAY, NOON + DAY))
  assert.equal(await counting, 7)
  assert.equal(await scene.bounces(), 7)
  scene.totals.forget()
  assert.equal(await scene.bounces(), 7)
})

test('retention changes nothing, before, while and after the counts are read', async () => {
  using scene = openTotals()
  scene.remove(NOON - DAY)
  assert.equal(await scene.bounces(), 3)
  scene.totals.forget()
  const counting = scene.bounces()
  scene.remove(NOON)
  assert.equal(await counting, 3)
  scene.remove(NOON + DAY)
  assert.equal(await scene.bounces(), 3)
  scene.totals.forget()
  assert.equal(await scene.bounces(), 3)
})

test('a day whose file was deleted by hand is left out', async () => {
  using scene = openTotals()
  rmSync(scene.files.path(dayOfTimestamp(NOON)))
  assert.equal(await scene.bounces(), 2)
})

test('a day that cannot be read fails the request, until it is removed', async () => {
  using scene = openTotals()
  const { files } = scene
  const open = files.openForReading.bind(files)
  files.openForReading = () => {
    throw new Error('disk I/O error')
  }
  await assert.rejects(scene.bounces(), /disk I\/O error/)
  files.openForReading = open
  assert.equal(await scene.bounces(), 3)
})
