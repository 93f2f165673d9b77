/** Over a long history, questions open the files of the days that have the answer, and no others. */
import assert from 'node:assert/strict'
import { readdirSync, readlinkSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { openSummarizedLog, type SummarizedLog } from '../../../../test/harness/storage/summarized-log.ts'
import { BASE_TIMESTAMP } from '../../contract/event-arbitraries.ts'
import { burst, queryOf } from '../../contract/log-scene.ts'
import { LogReads } from '../read-pool/log-reads.ts'
import { unpackCounts } from '../read-pool/packed-counts.ts'
import { unpackSeries } from '../read-pool/series-pack.ts'
import { SEARCH_THRESHOLDS } from '../reading/day-plan.ts'

const DAY = 86_400
/** More than reading threads keep open. */
const DAYS = 140
const DOMAIN = { number: 1, name: 'a.test' }
/** Has one event, on the oldest day. */
const SILENT = { number: 2, name: 'b.test' }

let scene: SummarizedLog

before(async () => {
  scene = await openSummarizedLog({ isAutomatic: false })
  for (let day = 0; day < DAYS; day++) {
    const events = [0, 1, 2].map((index) => burst(10 * day + index, DOMAIN, BASE_TIMESTAMP + day * DAY))
    await scene.log.append(day === 0 ? [...events, burst(5, SILENT)] : events)
  }
  await scene.summarize()
})
after(() => scene[Symbol.asyncDispose]())

/** The files that a new reading thread opens for a read. */
async function filesOf<T>(read: (reads: LogReads) => Promise<T>): Promise<{ answer: T; files: number }> {
  const reads = new LogReads({
    dataDir: scene.dataDir,
    serviceMessageIdField: 'service_message_id',
    thresholds: SEARCH_THRESHOLDS,
  })
  const before = countOpen()
  const answer = await read(reads)
  const files = countOpen() - before
  reads.close()
  return { answer, files }
}

function countOpen(): number {
  const files = new Set<string>()
  for (const fd of readdirSync('/proc/self/fd')) {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`)
      if (path.startsWith(`${scene.dataDir}/events/`) && path.endsWith('.db')) files.add(path)
    } catch {
      // The descriptor with which the folder was read.
    }
  }
  return files.size
}

const message = (messageId: string) => ({ domains: [DOMAIN, SILENT], messageId, limit: 10, budgetMs: 60_000 })

test('an unknown message id opens no file, a known one that of its day', async () => {
  const unknown = await filesOf((reads) => reads.listMessage(message('unknown')))
  assert.deepEqual([unknown.answer.events.length, unknown.files], [0, 0])
  const known = await filesOf((reads) => reads.listMessage(message('message-701')))
  assert.deepEqual([known.answer.events.length, known.files], [1, 1])
})

test('counts open no file', async () => {
  const { answer, files } = await filesOf(async (reads) => unpackCounts(await reads.counts([1, 2])))
  assert.deepEqual([answer.get(1)?.delivery, answer.get(2)?.delivery, files], [3 * DAYS, 1, 0])
})

test('counts over time open no file, by day over everything and by hour over a hundred days', async () => {
  const toHour = (BASE_TIMESTAMP + DAYS * DAY) / 3600
  for (const [hours, byDay] of [
    [DAYS * 24, true],
    [100 * 24, false],
  ] as const) {
    const query = { domainNumbers: [1], filters: {}, group: 'type', fromHour: toHour - hours, toHour, byDay } as const
    const { answer, files } = await filesOf(async (reads) => {
      let sum = 0
      for await (const part of reads.series(query)) for (const { count } of unpackSeries(part)) sum += count
      return sum
    })
    assert.deepEqual([answer, files], [(3 * hours) / 24, 0])
  }
})

test('a page opens the files that it comes from, even if they are far back', async () => {
  const newest = await filesOf((reads) => reads.list(queryOf([DOMAIN], 6)))
  assert.deepEqual([newest.answer.events.length, newest.files], [6, 3])
  const silent = await filesOf((reads) => reads.listNewest({ ...queryOf([SILENT], 6), domain: SILENT }))
  assert.deepEqual([silent.answer.events.length, silent.files], [1, 1])
  const rare = await filesOf((reads) => reads.list(queryOf([DOMAIN], 6, { types: ['Bounce'] })))
  assert.deepEqual([rare.answer.events.length, rare.files], [0, 0])
})

test('following arrivals and the size of each day open no file', async () => {
  const { answer: position, files } = await filesOf((reads) => reads.lastArrival())
  const list = { domains: [DOMAIN], filters: {}, after: position, limit: 10, budgetMs: 60_000 }
  const arrivals = await filesOf((reads) => reads.listArrivals(list))
  assert.deepEqual([files, arrivals.files, arrivals.answer.events.length], [0, 0, 0])
  const use = await filesOf((reads) => reads.listDayUse())
  assert.deepEqual([use.answer.length, use.answer[1]?.events, use.files], [DAYS, 3, 0])
})
