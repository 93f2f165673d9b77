import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PartlyStoredError } from '../../../events/log/partly-stored.ts'
import { AppError } from '../../../lib/app-error.ts'
import { burst } from '../../contract/log-scene.ts'
import { toEventRow } from '../rows/event-row.ts'
import { encodeChunk } from './encoded-events.ts'
import { GROUP_LIMITS } from './group-limits.ts'
import { type Group, type RowOutcome, takeGroup, WaitingRequest, type WaitingRow } from './waiting-rows.ts'

const DAY = 86_400
const DOMAIN = { number: 1, name: 'a.test' }

/** One row for each day number. */
function rowsOf(...days: readonly number[]): readonly WaitingRow[] {
  const rows = days.map((day, index) => toEventRow(burst(index, DOMAIN, day * DAY + index)))
  const chunk = encodeChunk(rows)
  return rows.map((row, place) => ({ row, chunk, place, index: place }))
}

function settle({ byRequest }: Group, outcome: RowOutcome): void {
  for (const [request, rows] of byRequest) request.settle(new Map(rows.map((row) => [row, outcome])), rows)
}

const indexes = ({ rows }: Group) => rows.map(({ index }) => index)

test('a group has the rows of all waiting requests in their order, up to the limit; the rest waits for the next', () => {
  const requests = [new WaitingRequest(rowsOf(1, 1, 1)), new WaitingRequest(rowsOf(1, 1))]
  const limits = { ...GROUP_LIMITS, events: 4 }
  assert.deepEqual(indexes(takeGroup(requests, limits)), [0, 1, 2, 0])
  assert.equal(requests.length, 1)
  assert.deepEqual(indexes(takeGroup(requests, limits)), [1])
  assert.deepEqual(requests, [])
})

test('a group has a limited number of days, and rows of one day never overtake each other', () => {
  const requests = [new WaitingRequest(rowsOf(1, 2, 3, 1, 3)), new WaitingRequest(rowsOf(2, 3))]
  const limits = { ...GROUP_LIMITS, days: 2 }
  assert.deepEqual(indexes(takeGroup(requests, limits)), [0, 1, 3, 0])
  assert.deepEqual(indexes(takeGroup(requests, limits)), [2, 4, 1])
  assert.deepEqual(requests, [])
})

test('a row that is larger than all bytes of a group is written alone', () => {
  const requests = [new WaitingRequest(rowsOf(1, 1))]
  const limits = { ...GROUP_LIMITS, bytes: 1 }
  assert.deepEqual(indexes(takeGroup(requests, limits)), [0])
  assert.deepEqual(indexes(takeGroup(requests, limits)), [1])
})

test('a request is answered after its last group, with the sums of all', async () => {
  const request = new WaitingRequest(rowsOf(1, 2, 3))
  const limits = { ...GROUP_LIMITS, days: 1 }
  const requests = [request]
  for (const outcome of ['stored', 'expired', 'duplicate'] as const) settle(takeGroup(requests, limits), outcome)
  assert.deepEqual(await request.result, { stored: 1, duplicates: 1, expired: [1] })
})

test('a request of which a part is stored says so when the rest fails', async () => {
  const request = new WaitingRequest(rowsOf(1, 2))
  settle(takeGroup([request], { ...GROUP_LIMITS, days: 1 }), 'stored')
  request.fail(new AppError('storage_unavailable', 'Later.'))
  await assert.rejects(request.result, (error) => error instanceof PartlyStoredError && error.stored === 1)
})
