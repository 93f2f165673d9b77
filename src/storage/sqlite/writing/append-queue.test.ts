import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AppendResult } from '../../../events/log/event-log.ts'
import { AppError } from '../../../lib/app-error.ts'
import { AppendQueue } from './append-queue.ts'
import type { RequestOutcome } from './day-writers.ts'
import { type EventRow, toEventRow } from './event-row.ts'
import type { PackedRows } from './packed-rows.ts'

const ROW = toEventRow({
  domainNumber: 1,
  event: { id: 'm', timestamp: 0, type: 'Delivery', domain_name: 'a.test', recipient: 'u@b.test' },
})

function rows(count: number): readonly EventRow[] {
  return Array.from({ length: count }, () => ROW)
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** A queue whose commits are completed by the test. */
function openQueue() {
  const commits: { readonly rows: PackedRows; readonly succeed: () => void; readonly fail: (error: Error) => void }[] =
    []
  const queue = new AppendQueue((packed) => {
    const { promise, resolve, reject } = Promise.withResolvers<readonly AppendResult[]>()
    const results = packed.requestRows.map((stored) => ({ stored, duplicates: 0, expired: [] }))
    commits.push({ rows: packed, succeed: () => resolve(results), fail: reject })
    return promise
  })
  const current = async () => {
    await turn()
    const commit = commits.at(-1)
    assert.ok(commit)
    return commit
  }
  return { queue, commits, current }
}

test('requests that arrive together, or while a commit is under way, share one; each gets its own result', async () => {
  const { queue, commits, current } = openQueue()
  const first = [queue.append(rows(1)), queue.append(rows(2))]
  const { rows: together, succeed } = await current()
  assert.deepEqual(together.requestRows, [1, 2])
  const second = [queue.append(rows(3)), queue.append(rows(4))]
  await turn()
  assert.equal(commits.length, 1, 'one commit at a time')
  succeed()
  assert.deepEqual(
    (await Promise.all(first)).map(({ stored }) => stored),
    [1, 2],
  )
  const { rows: waited, succeed: succeedAgain } = await current()
  assert.deepEqual(waited.requestRows, [3, 4])
  succeedAgain()
  assert.deepEqual(
    (await Promise.all(second)).map(({ stored }) => stored),
    [3, 4],
  )
})

test('a group is bounded, and a request is never divided', async () => {
  const { queue, commits, current } = openQueue()
  const all = [queue.append(rows(4000)), queue.append(rows(2000)), queue.append(rows(7000))]
  for (const expected of [4000, 2000, 7000]) {
    const { rows: group, succeed } = await current()
    assert.deepEqual(group.requestRows, [expected])
    succeed()
  }
  await Promise.all(all)
  assert.equal(commits.length, 3)
})

test('a group is filled up to the last row', async () => {
  const { queue, current } = openQueue()
  const all = [queue.append(rows(4000)), queue.append(rows(1000)), queue.append(rows(1))]
  for (const expected of [[4000, 1000], [1]]) {
    const { rows: group, succeed } = await current()
    assert.deepEqual(group.requestRows, expected)
    succeed()
  }
  await Promise.all(all)
})

test('rows count as queued from their arrival to the end of their commit', async () => {
  const { queue, current } = openQueue()
  const appended = queue.append(rows(5))
  assert.equal(queue.queuedRows, 5)
  const { succeed } = await current()
  assert.equal(queue.queuedRows, 5)
  const waiting = queue.append(rows(2))
  assert.equal(queue.queuedRows, 7)
  succeed()
  await appended
  ;(await current()).succeed()
  await waiting
  await queue.drain()
  assert.equal(queue.queuedRows, 0)
})

test('a sender is refused while too many rows wait, and accepted again afterwards', async () => {
  const { queue, current } = openQueue()
  const isOverloaded = (error: unknown) => error instanceof AppError && error.code === 'overloaded'
  const large = queue.append(rows(150_000))
  await assert.rejects(queue.append(rows(1)), isOverloaded)
  const { succeed } = await current()
  // Rows that are being committed are not waiting.
  const next = queue.append(rows(100_000))
  await assert.rejects(queue.append(rows(1)), isOverloaded)
  succeed()
  await large
  ;(await current()).succeed()
  assert.equal((await next).stored, 100_000)
})

test('as many rows wait as may, and not one more', async () => {
  const { queue, commits, current } = openQueue()
  const all = [queue.append(rows(1)), queue.append(rows(99_999))]
  await assert.rejects(queue.append(rows(1)), { code: 'overloaded' })
  for (let count = 0; count < 2; count++) (await current()).succeed()
  await Promise.all(all)
  assert.equal(commits.length, 2)
})

test('each request of a group gets its own refusal', async () => {
  const outcomes: RequestOutcome[] = [
    { setAside: ['2026-03-01'], stored: 0 },
    { setAside: [], stored: 0 },
    { stored: 1, duplicates: 0, expired: [] },
  ]
  const queue = new AppendQueue(async () => outcomes)
  const results = await Promise.allSettled([1, 2, 3, 4].map(() => queue.append(rows(1))))
  const reasons = results.map((result) => (result.status === 'rejected' ? String(result.reason) : result.value.stored))
  assert.match(String(reasons[0]), /2026-03-01/)
  assert.match(String(reasons[1]), /AppError/)
  assert.equal(reasons[2], 1)
  assert.match(String(reasons[3]), /no result for a request/)
  await queue.drain()
})

test('a failure rejects the whole group and nothing else', async () => {
  const { queue, current } = openQueue()
  const failing = [queue.append(rows(1)), queue.append(rows(1))]
  const { fail } = await current()
  const next = queue.append(rows(1))
  fail(new Error('disk full'))
  for (const result of await Promise.allSettled(failing)) {
    assert.ok(result.status === 'rejected')
    assert.match(String(result.reason), /disk full/)
  }
  ;(await current()).succeed()
  assert.equal((await next).stored, 1)
  await queue.drain()
  assert.equal(queue.queuedRows, 0)
})

test('a commit that cannot even begin fails like any other', async () => {
  let isBroken = true
  const queue = new AppendQueue(({ requestRows }) => {
    if (isBroken) throw new Error('no thread')
    return Promise.resolve(requestRows.map((stored) => ({ stored, duplicates: 0, expired: [] })))
  })
  await assert.rejects(queue.append(rows(1)), /no thread/)
  isBroken = false
  assert.equal((await queue.append(rows(1))).stored, 1)
  await queue.drain()
  assert.equal(queue.queuedRows, 0)
})

test('draining waits for everything that was accepted, failures included', async () => {
  const { queue, current } = openQueue()
  const appended = Promise.allSettled([queue.append(rows(5000)), queue.append(rows(1))])
  let isDrained = false
  const drained = queue.drain().then(() => {
    isDrained = true
  })
  ;(await current()).fail(new Error('disk full'))
  await turn()
  assert.equal(isDrained, false)
  ;(await current()).succeed()
  await drained
  const outcomes = await appended
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['rejected', 'fulfilled'],
  )
  await queue.drain()
})
