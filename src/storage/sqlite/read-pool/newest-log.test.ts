/** What the serving thread keeps of the newest pages, and what it tells the reading threads; the pool itself is not started. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LogQuery } from '../../../events/log/log-query.ts'
import { BASE_TIMESTAMP } from '../../contract/event-arbitraries.ts'
import { burst, queryOf } from '../../contract/log-scene.ts'
import { dayOfTimestamp } from '../days/day.ts'
import type { DayCommit } from '../days/day-commit.ts'
import { toEventRow } from '../writing/event-row.ts'
import { RowPack } from '../writing/packed-rows.ts'
import { PooledLog } from './pooled-log.ts'
import type { ReadPool } from './read-pool.ts'

const DOMAIN = { number: 1, name: 'a.test' }
const DAY = dayOfTimestamp(BASE_TIMESTAMP)
const QUERY: LogQuery = queryOf([DOMAIN], 10)

function openScene() {
  const announced: string[] = []
  const reads: string[] = []
  const pool = {
    announce: ({ kind }: { readonly kind: string }) => announced.push(kind),
    async read(_share: unknown, name: string) {
      reads.push(name)
      const position = { timestamp: BASE_TIMESTAMP, arrival: 1 }
      return name === 'listNewest'
        ? { events: [{ position, text: 'read' }], completeFrom: Number.NEGATIVE_INFINITY }
        : { events: [`other`] }
    },
  } as unknown as ReadPool
  const log = new PooledLog(pool, 'service_message_id')
  const counts = () => [log.newestPages.fromMemory, log.newestPages.fromFiles]
  /** An event of the domain is stored and reported. */
  const append = (day = DAY, isKnown = true) => {
    const pack = new RowPack()
    const { event, domainNumber } = burst(5, DOMAIN)
    pack.addRequest([toEventRow({ domainNumber, event })])
    const rows = log.selectWatched(pack.finish())
    const commit: DayCommit = {
      day,
      arrivalBefore: 1,
      arrival: 2,
      counts: [[DOMAIN.number, 1, 1]],
      codes: [],
      messageIds: [],
      committedAtMs: 0,
      storedAtMs: 0,
    }
    log.learn([commit], isKnown ? { rows, arrivals: Uint32Array.from([2]) } : undefined)
  }
  return { log, announced, reads, counts, append, list: async () => (await log.list(QUERY)).events.length }
}

test('a page is read once, and grows by what is appended to a watched domain', async () => {
  const { counts, append, list, reads } = openScene()
  assert.deepEqual(counts(), [0, 0])
  assert.equal(await list(), 1)
  assert.deepEqual(counts(), [0, 1])
  assert.equal(await list(), 1)
  assert.deepEqual(counts(), [1, 1])
  append()
  assert.equal(await list(), 2)
  assert.deepEqual([counts(), reads], [[2, 1], ['listNewest']])
  append(DAY, false)
  await list()
  assert.deepEqual(counts(), [2, 2], 'what was appended is not known')
})

test('an event of a day that is set aside is no part of the page', async () => {
  const { log, counts, append, list } = openScene()
  log.setAside(DAY)
  await list()
  append()
  assert.equal(await list(), 1)
  assert.deepEqual(counts(), [0, 2])
  log.takeBack(DAY)
  await list()
  append()
  assert.equal(await list(), 2)
})

test('everything that may change a page drops it, and is announced to the threads', async () => {
  const changes = {
    forget: (log: PooledLog) => log.forget(),
    removed: (log: PooledLog) => log.dropRemoved(),
    setAside: (log: PooledLog) => log.setAside(DAY),
    takeBack: (log: PooledLog) => log.takeBack(DAY),
    erased: (log: PooledLog) => log.dropErased(DAY),
  }
  for (const [kind, change] of Object.entries(changes)) {
    const { log, counts, announced, list } = openScene()
    await list()
    change(log)
    await list()
    assert.deepEqual([announced, counts()], [[kind], [0, 2]], kind)
  }
  const { log, announced, append } = openScene()
  log.learnSummarized([])
  append()
  assert.deepEqual(announced, ['summarized', 'commits'])
})

test('only unfiltered pages of one domain, from the end and of usual length, are kept', async () => {
  const { log, reads } = openScene()
  const others: readonly LogQuery[] = [
    queryOf([DOMAIN, { number: 2, name: 'b.test' }], 10),
    queryOf([], 10),
    queryOf([DOMAIN], 101),
    { ...QUERY, after: '1.1' },
    { ...QUERY, filters: { types: ['Bounce'] } },
  ]
  for (const query of others) await log.list(query)
  assert.deepEqual(reads, ['list', 'list', 'list', 'list', 'list'])
  await log.list(queryOf([DOMAIN], 100))
  assert.equal(reads.at(-1), 'listNewest')
})
