/** The history index is derived data: whatever happens to it, answers are those of the day files. */
import assert from 'node:assert/strict'
import { copyFileSync, openSync, rmSync, statSync, utimesSync, writeFileSync, writeSync } from 'node:fs'
import { test } from 'node:test'
import { openSummarizedLog, type SummarizedLog } from '../../../../test/harness/storage/summarized-log.ts'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import { BASE_TIMESTAMP } from '../../contract/event-arbitraries.ts'
import { burst, listAll, listMessage, queryOf } from '../../contract/log-scene.ts'
import { Database } from '../database/database.ts'
import { dayOfTimestamp } from '../days/day.ts'
import { DayFiles } from '../days/day-files.ts'
import { historyPath, openHistoryForWriting } from './history-database.ts'
import { firstIdKey } from './id-key.ts'
import { numberOfDay, SPAN_DAYS, spanOf } from './span.ts'
import { summarizeDay } from './summarize-day.ts'

const DAY = 86_400
const DAYS = 5
const DOMAINS = Array.from({ length: 3 }, (_, index) => ({ number: index + 1, name: `${index + 1}.test` }))
const ALL = { fromHour: 0, toHour: BASE_TIMESTAMP / 3600 + 24 * 3000, filters: {}, group: 'type' } as const

const timeOf = (day: number) => BASE_TIMESTAMP + day * DAY
const dayAt = (day: number) => dayOfTimestamp(timeOf(day))

/** Two events of each domain on each of five days. */
async function fill({ log }: SummarizedLog): Promise<void> {
  for (let day = 0; day < DAYS; day++) {
    const events = DOMAINS.flatMap((domain) => [0, 1].map((index) => burst(10 * day + index, domain, timeOf(day))))
    await log.append(events)
  }
}

/** What the log says: events, counts, and counts over time, of each domain. */
async function ask({ log }: SummarizedLog) {
  const answers: unknown[] = []
  for (const domain of DOMAINS) {
    answers.push(await listAll(log, queryOf([domain], 4)))
    answers.push((await log.counts([domain.number])).get(domain.number)?.delivery)
    for (const byDay of [true, false]) {
      let sum = 0
      for await (const counts of log.series({ ...ALL, domainNumbers: [domain.number], byDay })) {
        for (const { count } of counts) sum += count
      }
      answers.push(sum)
    }
    for (const index of [0, 31, 41, 999]) answers.push(await listMessage(log, [domain], `message-${index}`))
  }
  return answers
}

function isOpen(dataDir: string, day: number): boolean | undefined {
  using db = new Database(historyPath(dataDir), { readOnly: true })
  const row = db.get<{ is_open: number }>('SELECT is_open FROM day WHERE day = ?', numberOfDay(dayAt(day)))
  return row && row.is_open === 1
}

function sumsAgree(dataDir: string): void {
  using db = new Database(historyPath(dataDir), { readOnly: true })
  const sums = new Map<number, readonly number[]>()
  for (const [domain, types] of db.allArrays<[number, string]>('SELECT domain, types FROM domain_day')) {
    const counts = JSON.parse(types) as readonly number[]
    sums.set(
      domain,
      counts.map((count, type) => count + (sums.get(domain)?.[type] ?? 0)),
    )
  }
  const totals = db.allArrays<[number, string]>('SELECT domain, types FROM total')
  for (const [domain, types] of totals) {
    const total = JSON.parse(types) as readonly number[]
    assert.deepEqual(sums.get(domain) ?? total.map(() => 0), total)
  }
}

test('answers are the same without the index, with it, and after it was built again', async () => {
  using folder = openTemporaryFolder()
  let expected: unknown
  {
    await using scene = await openSummarizedLog({ dataDir: folder.path, isAutomatic: false })
    await fill(scene)
    expected = await ask(scene)
    await scene.summarize()
    assert.equal(isOpen(folder.path, 0), false)
    assert.deepEqual(await ask(scene), expected)
    sumsAgree(folder.path)
  }
  rmSync(historyPath(folder.path))
  // Left behind by those who delete one file of three.
  writeFileSync(`${historyPath(folder.path)}-wal`, 'not a log')
  await using again = await openSummarizedLog({ dataDir: folder.path, isAutomatic: false })
  assert.deepEqual(await ask(again), expected)
  await again.summarize()
  assert.equal(isOpen(folder.path, 0), false)
  assert.deepEqual(await ask(again), expected)
})

test('a day is marked open, for a restart too, before a late event is written to it', async () => {
  await using scene = await openSummarizedLog({ isAutomatic: false })
  await fill(scene)
  await scene.summarize()
  await scene.log.append([burst(999, DOMAINS[0] ?? { number: 0, name: '' }, timeOf(1))])
  assert.deepEqual(
    [0, 1, 2].map((day) => isOpen(scene.dataDir, day)),
    [false, true, false],
  )
  const expected = await ask(scene)
  {
    // As after a crash: nothing was closed, nothing summarized again.
    await using again = await openSummarizedLog({ dataDir: scene.dataDir, isAutomatic: false })
    assert.deepEqual(await ask(again), expected)
    assert.equal((await listMessage(again.log, DOMAINS, 'message-999')).length, 1)
  }
  await scene.summarize()
  assert.equal(isOpen(scene.dataDir, 1), false)
  assert.deepEqual(await ask(scene), expected)
  sumsAgree(scene.dataDir)
})

test('wherever building it stops, answers are right and its totals are the sum of its days', async () => {
  await using scene = await openSummarizedLog({ isAutomatic: false })
  await fill(scene)
  await scene.summarize()
  await scene.log.append([burst(999, DOMAINS[1] ?? { number: 0, name: '' }, timeOf(2))])
  const expected = await ask(scene)
  const number = numberOfDay(dayAt(2))
  for (let steps = 0; ; steps++) {
    using history = openHistoryForWriting(scene.dataDir)
    using source = new DayFiles(scene.dataDir).openForReading(dayAt(2), 512)
    const work = summarizeDay(history, source, number)
    let done = false
    for (let step = 0; step < steps && !done; step++) done = work.next().done === true
    sumsAgree(scene.dataDir)
    await using stopped = await openSummarizedLog({ dataDir: scene.dataDir, isAutomatic: false })
    assert.deepEqual(await ask(stopped), expected, `after ${steps} steps`)
    if (done) break
  }
})

test('a file that was replaced while the server was stopped is read itself', async () => {
  using folder = openTemporaryFolder()
  const files = new DayFiles(folder.path)
  const older = `${files.path(dayAt(3))}.older`
  {
    await using scene = await openSummarizedLog({ dataDir: folder.path, isAutomatic: false })
    await fill(scene)
    await scene.summarize()
    copyFileSync(files.path(dayAt(3)), older)
    await scene.log.append([burst(999, DOMAINS[0] ?? { number: 0, name: '' }, timeOf(3))])
    await scene.summarize()
    assert.equal((await listMessage(scene.log, DOMAINS, 'message-999')).length, 1)
  }
  copyFileSync(older, files.path(dayAt(3)))
  await using again = await openSummarizedLog({ dataDir: folder.path, isAutomatic: false })
  assert.deepEqual(
    [2, 3].map((day) => isOpen(folder.path, day)),
    [false, true],
  )
  assert.equal((await listMessage(again.log, DOMAINS, 'message-999')).length, 0)
  assert.equal((await again.log.counts([1])).get(1)?.delivery, 2 * DAYS)
  await again.summarize()
  assert.equal((await again.log.counts([1])).get(1)?.delivery, 2 * DAYS)
  assert.equal(isOpen(folder.path, 3), false)
})

test('a day that only has another time of change is read itself', async () => {
  using folder = openTemporaryFolder()
  {
    await using scene = await openSummarizedLog({ dataDir: folder.path, isAutomatic: false })
    await fill(scene)
    await scene.summarize()
  }
  utimesSync(new DayFiles(folder.path).path(dayAt(0)), 1, 1)
  await using _ = await openSummarizedLog({ dataDir: folder.path, isAutomatic: false })
  assert.deepEqual(
    [0, 1].map((day) => isOpen(folder.path, day)),
    [true, false],
  )
})

test('removed days keep their counts, and leave nothing else', async () => {
  await using scene = await openSummarizedLog({ isAutomatic: false })
  const [first] = DOMAINS
  assert(first)
  const old = [1, 2].map((day) => burst(day, first, timeOf(0) - (SPAN_DAYS + day) * DAY))
  await scene.log.append(old)
  await fill(scene)
  await scene.summarize()
  const counts = await scene.log.counts([1, 2, 3])
  await scene.log.removeBefore(timeOf(1) * 1000)
  // The days are in the totals of removed days, and still in the index.
  assert.notEqual(isOpen(scene.dataDir, 0), undefined)
  scene.reads.forget()
  assert.deepEqual(await scene.log.counts([1, 2, 3]), counts)
  await scene.summarize()
  assert.equal(isOpen(scene.dataDir, 0), undefined)
  scene.reads.forget()
  assert.deepEqual(await scene.log.counts([1, 2, 3]), counts)
  assert.equal((await listAll(scene.log, queryOf([first], 9))).length, 2 * (DAYS - 1))
  sumsAgree(scene.dataDir)
  using db = new Database(historyPath(scene.dataDir), { readOnly: true })
  assert.equal(db.number('SELECT count(*) FROM day'), DAYS - 1)
  const span = spanOf(numberOfDay(dayOfTimestamp(old[0]?.event.timestamp ?? 0)))
  assert.equal(db.number('SELECT count(*) FROM message_id WHERE key < ?', firstIdKey(0, span + 1)), 0)
  assert.equal(db.number('SELECT count(*) FROM domain_span WHERE span = ?', span), 0)
})

test('an index that is damaged, foreign or of another version is built again, and the answers stay right', async () => {
  const damages: Readonly<Record<string, (path: string) => void>> = {
    'not a database': (path) => writeFileSync(path, 'hello'),
    empty: (path) => writeFileSync(path, ''),
    'another version': (path) => {
      using db = new Database(path)
      db.execute('PRAGMA user_version = 99')
    },
    'overwritten pages': (path) => {
      const file = openSync(path, 'r+')
      const garbage = Buffer.alloc(4096, 0xa5)
      for (let at = 4096; at < statSync(path).size; at += 4096) writeSync(file, garbage, 0, garbage.length, at)
    },
    'a flipped bit': (path) => {
      using db = new Database(path)
      db.run('UPDATE domain_span SET counts = zeroblob(length(counts))')
    },
  }
  for (const [name, damage] of Object.entries(damages)) {
    using folder = openTemporaryFolder()
    let expected: unknown
    {
      await using scene = await openSummarizedLog({ dataDir: folder.path, isAutomatic: false })
      await fill(scene)
      await scene.summarize()
      expected = await ask(scene)
    }
    damage(historyPath(folder.path))
    await using again = await openSummarizedLog({ dataDir: folder.path, isAutomatic: false })
    assert.deepEqual(await ask(again), expected, name)
    await again.summarize()
    assert.deepEqual(await ask(again), expected, name)
    sumsAgree(folder.path)
    assert.deepEqual(
      [0, 1].map((day) => isOpen(folder.path, day)),
      [false, false],
      name,
    )
  }
})

test('a day that cannot be read does not stop the others', async () => {
  using folder = openTemporaryFolder()
  {
    await using scene = await openSummarizedLog({ dataDir: folder.path, isAutomatic: false })
    await fill(scene)
  }
  const path = new DayFiles(folder.path).path(dayAt(2))
  writeFileSync(path, Buffer.alloc(statSync(path).size, 0xa5))
  await using again = await openSummarizedLog({ dataDir: folder.path, isAutomatic: false })
  await again.summarize()
  assert.deepEqual(
    [1, 3].map((day) => isOpen(folder.path, day)),
    [false, false],
  )
  assert.notEqual(isOpen(folder.path, 2), false)
  assert(again.notices.some((notice) => 'failed' in notice && notice.day === dayAt(2)))
})
