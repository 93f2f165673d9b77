import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FastifyReply } from 'fastify'
import type { DayTrouble } from '../../storage/storage.ts'
import { MissingDays } from './incomplete.ts'

const DAY = 86_400
/** 2026-03-02T00:00:00Z */
const START = 1_772_409_600

function trouble(day: string): DayTrouble {
  return { day, kind: 'damaged', sinceMs: 0, detail: '' }
}

function openScene(...days: readonly string[]) {
  let list = days.map(trouble)
  const storage = {
    capabilities: {
      troubles: { list: () => list, follow: () => undefined, takenBack: 0, accept: async () => undefined },
    },
  }
  const headers: Record<string, unknown> = {}
  const reply = {
    header(name: string, value: unknown) {
      headers[name] = value
      return reply
    },
  } as FastifyReply
  return { storage, headers, reply, setAside: (...now: readonly string[]) => (list = now.map(trouble)) }
}

test('the header names the days of the window that are missing, and is not sent without any', () => {
  const { storage, reply, headers } = openScene('2026-03-02', '2026-02-01')
  const missing = new MissingDays(storage)
  missing.nameIn(reply, { startTimestamp: START - 5 * DAY, endTimestamp: START - 1 })
  missing.nameIn(reply, { startTimestamp: START + DAY, endTimestamp: START + 2 * DAY })
  assert.deepEqual(headers, {})
  missing.nameIn(reply, { startTimestamp: START - DAY, endTimestamp: START })
  assert.deepEqual(headers, { 'envelog-incomplete': '2026-03-02' })
  missing.nameIn(reply)
  assert.deepEqual(headers, { 'envelog-incomplete': '2026-02-01, 2026-03-02' })
})

test('at most a hundred days are named, the oldest', () => {
  const days = Array.from({ length: 101 }, (_, n) => new Date((START + n * DAY) * 1000).toISOString().slice(0, 10))
  const { storage, reply, headers } = openScene(...days.toReversed())
  new MissingDays(storage).nameIn(reply)
  assert.equal(headers['envelog-incomplete'], days.slice(0, 100).join(', '))
})

test('days that were set aside or taken back during the read are named', () => {
  const { storage, reply, headers, setAside } = openScene('2026-03-02')
  const missing = new MissingDays(storage)
  setAside('2026-03-01')
  missing.nameIn(reply)
  assert.deepEqual(headers, { 'envelog-incomplete': '2026-03-01, 2026-03-02' })
})

test('a response that is being sent breaks off when another day of its window is set aside', async () => {
  const { storage, setAside } = openScene('2026-03-02')
  const missing = new MissingDays(storage)
  async function* list() {
    yield 1
    yield 2
    setAside('2026-03-02', '2026-02-01')
    yield 3
    setAside('2026-03-02', '2026-03-01')
    yield 4
  }
  const seen: number[] = []
  const window = { startTimestamp: START - DAY, endTimestamp: START + DAY }
  await assert.rejects(async () => {
    for await (const page of missing.whileComplete(list(), window)) seen.push(page)
  }, /2026-03-01 was set aside while the response was sent/)
  assert.deepEqual(seen, [1, 2, 3])
})
