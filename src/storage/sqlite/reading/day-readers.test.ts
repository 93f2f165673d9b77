/** Which files are open, and what they show: of days with commits, of removed days, of days that are set aside. */
import assert from 'node:assert/strict'
import { copyFileSync, readdirSync, readlinkSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { listOpenDays } from '../../../../test/harness/storage/open-days.ts'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import { type Day, dayOfTimestamp } from '../days/day.ts'
import type { DayCommit } from '../days/day-commit.ts'
import { DayFiles } from '../days/day-files.ts'
import { openHistoryForWriting } from '../history/history-database.ts'
import { HistoryReader, LostHistoryError } from '../history/history-reader.ts'
import { HistoryWriter } from '../history/history-writer.ts'
import { dayOfNumber, numberOfDay } from '../history/span.ts'
import { DayWriters } from '../writing/day-writers.ts'
import { toEventRow } from '../writing/event-row.ts'
import { SEARCH_THRESHOLDS } from './day-plan.ts'
import { DayReaders } from './day-readers.ts'
import { toLogSearch } from './log-search.ts'

const NOON = 1_772_366_400
const DAY = 86_400
const [TODAY, YESTERDAY] = [dayOfTimestamp(NOON), dayOfTimestamp(NOON - DAY)]
const TOMORROW = dayOfTimestamp(NOON + DAY)
const OPEN_MAX = 128

/** Two days with an event each. What is stored later has to be told to the readers. `copies`: further days. */
function openScene({ cacheKib, copies = 0 }: { readonly cacheKib?: number; readonly copies?: number } = {}) {
  const folder = openTemporaryFolder()
  const files = new DayFiles(folder.path)
  let messages = 0
  const store = (timestamp = NOON): readonly DayCommit[] => {
    const event = { id: `m${messages++}`, timestamp, domain_name: 'a.test', recipient: 'u@b.test' }
    const writers = new DayWriters(files, () => false)
    const row = toEventRow({ domainNumber: 1, event: { ...event, type: 'Bounce' } })
    const { commits } = writers.store([[row]], NOON * 1000)
    writers.close()
    return commits
  }
  store()
  store(NOON - DAY)
  const copied = Array.from({ length: copies }, (_, index) => dayOfTimestamp(NOON - (index + 2) * DAY))
  for (const day of copied) copyFileSync(files.path(TODAY), files.path(day))
  const history = new HistoryReader(folder.path)
  const readers = new DayReaders(files, 'service_message_id', SEARCH_THRESHOLDS, { history, cacheKib })
  const lease = (day: Day) => {
    const leased = readers.lease(day)
    assert.ok(leased)
    const countRows = () => leased.reader.db.number('SELECT count(*) FROM event')
    return { countRows, reader: leased.reader, [Symbol.dispose]: () => leased[Symbol.dispose]() }
  }
  const count = (day: Day) => {
    using leased = lease(day)
    return leased.countRows()
  }
  const close = () => {
    readers.close()
    folder[Symbol.dispose]()
  }
  return { folder, files, readers, store, lease, count, copied, [Symbol.dispose]: close }
}

describe('a read that is held sees one state of its file', () => {
  test('until the commit is announced; soon after a commit nothing is held', () => {
    using scene = openScene()
    using reading = scene.lease(TODAY)
    assert.equal(reading.countRows(), 1)
    const commits = scene.store()
    assert.equal(reading.countRows(), 1)
    scene.readers.learn(commits)
    assert.equal(reading.countRows(), 2)
    assert.equal(scene.count(TODAY), 2)
    scene.store()
    assert.equal(reading.countRows(), 3)
  })

  test('until it is refreshed, erased or forgotten', () => {
    using scene = openScene()
    using reading = scene.lease(TODAY)
    for (const [index, see] of [
      () => scene.readers.refresh(TODAY),
      () => scene.readers.dropErased(TODAY),
      () => scene.readers.forget(),
    ].entries()) {
      assert.equal(scene.count(TODAY), index + 1)
      scene.store()
      assert.equal(reading.countRows(), index + 1)
      see()
      assert.equal(reading.countRows(), index + 2)
    }
  })
})

test('new days are known by their commits, or once they are asked for; newest first', () => {
  using scene = openScene()
  const { readers, store } = scene
  assert.deepEqual(readers.days, [TODAY, YESTERDAY])
  const commits = store(NOON + DAY)
  readers.refresh(dayOfTimestamp(NOON + 5 * DAY))
  assert.deepEqual(readers.days, [TODAY, YESTERDAY])
  readers.learn([...commits, ...commits])
  assert.deepEqual(readers.days, [TOMORROW, TODAY, YESTERDAY])
  store(NOON - 2 * DAY)
  readers.refresh(dayOfTimestamp(NOON - 2 * DAY))
  assert.deepEqual(readers.days, [TOMORROW, TODAY, YESTERDAY, dayOfTimestamp(NOON - 2 * DAY)])
  assert.equal(readers.lease(dayOfTimestamp(NOON + 5 * DAY)), undefined)
})

test('the file of a removed day is closed at once, or when its last reader has finished', () => {
  using scene = openScene()
  const { files, readers } = scene
  scene.count(YESTERDAY)
  const [one, other] = [scene.lease(TODAY), scene.lease(TODAY)]
  assert.deepEqual(listOpenDays(files), [YESTERDAY, TODAY])
  for (const day of [TODAY, YESTERDAY]) files.remove(day)
  readers.dropRemoved()
  assert.deepEqual(readers.days, [])
  const deleted = (day: Day) =>
    readdirSync('/proc/self/fd').filter((name) => {
      try {
        return readlinkSync(`/proc/self/fd/${name}`).includes(`${files.folder}/${day}.db (deleted)`)
      } catch {
        return false
      }
    }).length
  assert.deepEqual([deleted(TODAY), deleted(YESTERDAY)], [1, 0])
  one[Symbol.dispose]()
  assert.equal(other.countRows(), 1)
  other[Symbol.dispose]()
  assert.equal(deleted(TODAY), 0)

  using closed = openScene()
  const last = closed.lease(TODAY)
  closed.files.remove(TODAY)
  closed.readers.dropRemoved()
  closed.readers.close()
  last[Symbol.dispose]()
  assert.equal(deleted(TODAY), 0)
})

test('a day of the history index is read from it until the next commit; ranges include both of their ends', () => {
  using scene = openScene({ copies: 3 })
  const { readers, store } = scene
  const [third = '', fourth = '', fifth = ''] = scene.copied
  const all = [TODAY, YESTERDAY, third, fourth, fifth]
  const split = (oldest: Day, newest: Day) => {
    const { live, known } = readers.split(oldest, newest)
    return [live, known.map(dayOfNumber)]
  }
  assert.deepEqual(split(fifth, TODAY), [all, []])
  readers.history.learnSummarized([YESTERDAY, fourth].map((day) => ({ day, arrival: 1, events: 1, storedAtMs: 0 })))
  assert.deepEqual(split(fifth, TODAY), [
    [TODAY, third, fifth],
    [YESTERDAY, fourth],
  ])
  assert.deepEqual(split(fourth, YESTERDAY), [[third], [YESTERDAY, fourth]])
  assert.deepEqual(split(third, third), [[third], []])
  assert.deepEqual(split(fourth, fourth), [[], [fourth]])
  readers.learn(store(NOON - DAY))
  assert.deepEqual(split(fifth, TODAY), [[TODAY, YESTERDAY, third, fifth], [fourth]])
  readers.dropErased(fourth)
  assert.deepEqual(split(fifth, TODAY), [all, []])
})

test('an index that was created meanwhile is opened by the first report; later ones are added to it, but for days without a file', () => {
  using scene = openScene({ copies: 1 })
  const { folder, readers } = scene
  const [third = ''] = scene.copied
  const gone = dayOfTimestamp(NOON - 9 * DAY)
  const known = () => readers.split(gone, TODAY).known.map(dayOfNumber)
  const reportOf = (day: Day) => ({ day, arrival: 1, events: 1, storedAtMs: 0 })
  readers.learnSummarized([reportOf(YESTERDAY)])
  assert.deepEqual(known(), [])
  {
    using db = openHistoryForWriting(folder.path)
    for (const day of [YESTERDAY, gone]) db.run('INSERT INTO day VALUES (?, 0, 1, 1, 0, 1, 1)', numberOfDay(day))
  }
  readers.learnSummarized([reportOf(YESTERDAY)])
  assert.deepEqual(known(), [YESTERDAY])
  readers.learnSummarized([third, TODAY, dayOfTimestamp(NOON - 8 * DAY)].map(reportOf))
  assert.deepEqual(known(), [TODAY, YESTERDAY, third])
  scene.files.remove(third)
  readers.dropRemoved()
  assert.deepEqual(known(), [TODAY, YESTERDAY])
  void readers.setAside(YESTERDAY)
  assert.deepEqual(known(), [TODAY])
})

test('days of the index and others are searched in one order; the index is not read for days that are newer', () => {
  using scene = openScene({ copies: 2 })
  const { folder, files, readers } = scene
  const [third = '', fourth = ''] = scene.copied
  const summarized = [YESTERDAY, fourth]
  const isBusy = (day: Day) => !summarized.includes(day)
  const writer = new HistoryWriter({ dataDir: folder.path, files, isBusy, quietMs: 0, notify: () => undefined })
  while (writer.step() === 0);
  writer.close()
  readers.forget()
  const search = () => readers.candidates([1], toLogSearch({}), fourth, TODAY)
  assert.deepEqual(
    [...search()].filter((day) => day !== undefined),
    [TODAY, YESTERDAY, third, fourth],
  )
  const interrupted = search()
  assert.equal(interrupted.next().value, TODAY)
  readers.history.forget()
  assert.throws(() => interrupted.next(), LostHistoryError)
  assert.equal(readers.history.isOpen, true)
  readers.close()
  assert.equal(readers.history.isOpen, false)
})

test('which days the index has is found out once, until that changes', () => {
  using scene = openScene({ copies: 2 })
  const { readers } = scene
  let asked = 0
  readers.history.has = () => {
    asked++
    return false
  }
  const split = () => readers.split('2000-01-01', TODAY).live.length
  assert.deepEqual([split(), split(), split(), asked], [4, 4, 4, 4])
  readers.history.learnSummarized([])
  assert.deepEqual([split(), asked], [4, 8])
  scene.store(NOON - 3 * DAY)
  scene.store(NOON - 9 * DAY)
  readers.refresh(dayOfTimestamp(NOON - 9 * DAY))
  assert.deepEqual([split(), asked], [5, 13])
})

test('what is remembered of a day is forgotten if rows of it were erased, or commits may be unknown', () => {
  using scene = openScene()
  const { files, readers } = scene
  using leased = scene.lease(TODAY)
  const { reader } = leased
  for (const forget of [() => readers.dropErased(TODAY), () => readers.forget()]) {
    assert.equal(reader.summary.events, 1)
    assert.equal(reader.isKnown, true)
    forget()
    assert.equal(reader.isKnown, false)
  }
  files.remove(YESTERDAY)
  readers.forget()
  assert.deepEqual(readers.days, [TODAY])
})

test('days are searched newest first, but for those that are known to have nothing', () => {
  using scene = openScene({ copies: 2 })
  const { readers, copied } = scene
  const [third = '', fourth = ''] = copied
  const search = (domain: number, newest = TODAY) => [...readers.candidates([domain], toLogSearch({}), fourth, newest)]
  assert.deepEqual(search(1), [TODAY, YESTERDAY, third, fourth])
  assert.deepEqual(search(2, YESTERDAY), [YESTERDAY, third, fourth])
  {
    using leased = scene.lease(third)
    assert.equal(leased.reader.summary.events, 1)
  }
  assert.deepEqual(search(1), [TODAY, YESTERDAY, third, fourth])
  assert.deepEqual(search(2), [TODAY, YESTERDAY, fourth])
})

describe('a day that is set aside', () => {
  test('is left out of reads until it is taken back', async () => {
    using scene = openScene()
    const { files, readers, store } = scene
    scene.count(TODAY)
    await readers.setAside(TODAY)
    await readers.setAside(TODAY)
    assert.deepEqual([readers.days, readers.lease(TODAY), listOpenDays(files)], [[YESTERDAY], undefined, []])
    const commits = store()
    readers.learn(commits)
    readers.refresh(TODAY)
    readers.dropRemoved()
    assert.deepEqual(readers.days, [YESTERDAY])
    readers.takeBack(TODAY)
    assert.deepEqual(readers.days, [TODAY, YESTERDAY])
    assert.equal(scene.count(TODAY), 2)
    await readers.setAside(YESTERDAY)
    files.remove(YESTERDAY)
    readers.takeBack(YESTERDAY)
    assert.deepEqual(readers.days, [TODAY])
  })

  test('is closed for all who wait for that, when its last reader has finished', async () => {
    using scene = openScene()
    const { files, readers } = scene
    const [one, other] = [scene.lease(TODAY), scene.lease(TODAY)]
    let closed = 0
    const waiting = [1, 2].map(() => readers.setAside(TODAY).then(() => void closed++))
    one[Symbol.dispose]()
    await new Promise(setImmediate)
    assert.deepEqual([closed, other.countRows(), listOpenDays(files)], [0, 1, [TODAY]])
    other[Symbol.dispose]()
    await Promise.all(waiting)
    assert.deepEqual(listOpenDays(files), [])
  })
})

test('a day is opened again when nobody reads it: another file may have its name', () => {
  using scene = openScene()
  const { files, folder, readers, store } = scene
  scene.count(TODAY)
  const other = join(folder.path, 'other')
  copyFileSync(files.path(TODAY), other)
  store()
  readers.refresh(TODAY)
  const reading = scene.lease(TODAY)
  assert.equal(reading.countRows(), 2)
  files.remove(TODAY)
  renameSync(other, files.path(TODAY))
  readers.reopen(TODAY)
  assert.equal(reading.countRows(), 2)
  reading[Symbol.dispose]()
  readers.reopen(TODAY)
  assert.equal(scene.count(TODAY), 1)
})

test('128 files stay open, those that were read last; more while they are read', () => {
  using scene = openScene({ copies: OPEN_MAX + 2 })
  const { files, copied } = scene
  const [first = '', second = '', third = ''] = copied
  for (const day of copied.slice(0, OPEN_MAX)) scene.count(day)
  assert.equal(listOpenDays(files).length, OPEN_MAX)
  // Now the second is the one that was not read for the longest time.
  scene.count(first)
  assert.equal(listOpenDays(files).length, OPEN_MAX)
  scene.count(copied[OPEN_MAX] ?? '')
  const open = listOpenDays(files)
  assert.deepEqual(
    [open.length, open.includes(first), open.includes(second), open.includes(third)],
    [128, true, false, true],
  )
  const leases = copied.map((day) => scene.lease(day))
  assert.equal(listOpenDays(files).length, copied.length)
  for (const leased of leases) leased[Symbol.dispose]()
  scene.count(TODAY)
  assert.equal(listOpenDays(files).length, OPEN_MAX)
  scene.readers.close()
  assert.deepEqual(listOpenDays(files), [])
})

test('a day that is removed while it is opened is left out, like one that was removed before', () => {
  using scene = openScene()
  const { files, readers } = scene
  const open = files.openForReading.bind(files)
  files.openForReading = (day, cacheKib) => {
    files.remove(day)
    return open(day, cacheKib)
  }
  assert.equal(readers.lease(TODAY), undefined)
  assert.deepEqual(listOpenDays(files), [])
  assert.deepEqual(readdirSync(files.folder), [`${YESTERDAY}.db`])
})

test('the page cache is shared by all days, within bounds for each', () => {
  const cacheOf = (options: Parameters<typeof openScene>[0]) => {
    using scene = openScene(options)
    using leased = scene.lease(TODAY)
    return -leased.reader.db.number('PRAGMA cache_size')
  }
  assert.equal(cacheOf({ cacheKib: 5001 }), 2500)
  assert.equal(cacheOf({ cacheKib: 100_000 }), 4096)
  assert.equal(cacheOf({ cacheKib: 5000, copies: 48 }), 512)
  assert.equal(cacheOf({ copies: 22 }), 1024)
  using scene = openScene({ cacheKib: 3000 })
  scene.files.remove(YESTERDAY)
  scene.readers.dropRemoved()
  using leased = scene.lease(TODAY)
  assert.equal(-leased.reader.db.number('PRAGMA cache_size'), 3000)
})

describe('on a disk on which nothing can be created', () => {
  const failing = (files: DayFiles) => {
    files.openForReading = () => {
      throw Object.assign(new Error('unable to open database file'), { errcode: 14 })
    }
  }

  test('a complete file is read all the same, and closed after each read', () => {
    using scene = openScene()
    failing(scene.files)
    using reading = scene.lease(TODAY)
    assert.equal(reading.countRows(), 1)
    assert.equal(scene.count(YESTERDAY), 1)
    assert.deepEqual(listOpenDays(scene.files), [TODAY])
    assert.deepEqual(readdirSync(scene.files.folder).sort(), [`${YESTERDAY}.db`, `${TODAY}.db`], 'nothing is created')
  })

  test('one with commits beside it is refused, and so is every other failure', () => {
    using scene = openScene()
    using _reading = scene.lease(TODAY)
    const writers = new DayWriters(scene.files, () => false)
    const event = { id: 'm', timestamp: NOON - DAY, domain_name: 'a.test', recipient: 'u@b.test' } as const
    writers.store([[toEventRow({ domainNumber: 1, event: { ...event, type: 'Bounce' } })]], NOON * 1000)
    failing(scene.files)
    assert.throws(() => scene.readers.lease(YESTERDAY), /unable to open/)
    writers.close()
    scene.files.openForReading = () => {
      throw new Error('a bug')
    }
    assert.throws(() => scene.readers.lease(YESTERDAY), /a bug/)
  })
})
