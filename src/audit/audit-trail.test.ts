import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openMemoryStorage } from '../storage/memory/open-memory-storage.ts'
import type { AuditEntry } from './audit-entry.ts'
import { SUMS_PER_HOUR } from './audit-sums.ts'
import { type AuditedAction, AuditTrail } from './audit-trail.ts'

const HOUR_MS = 3_600_000
const START_MS = 500_000 * HOUR_MS

const denied = (fields: Partial<AuditedAction> = {}): AuditedAction => ({
  kind: 'denied',
  actor: { type: 'unknown', address: '192.0.2.1' },
  action: 'signIn',
  outcome: 'refused',
  status: 401,
  requestId: 'r1',
  ...fields,
})

function openTrail(beforeAdd = async (): Promise<void> => undefined) {
  const { audit, keys } = openMemoryStorage({ clock: () => START_MS, serviceMessageIdField: 'x' }).control
  const state = { nowMs: START_MS, writes: 0, lost: [] as AuditedAction[] }
  const store: typeof audit = {
    ...audit,
    async add(entries) {
      state.writes++
      await beforeAdd()
      await audit.add(entries)
    },
  }
  const trail = new AuditTrail({
    store,
    keys,
    clock: () => state.nowMs,
    onLost: (action) => void state.lost.push(action),
  })
  const list = async () => {
    const found: AuditEntry[] = []
    for (let beforeId: number | undefined; ; ) {
      const page = await audit.list({ filters: {}, limit: 1000, ...(beforeId !== undefined && { beforeId }) })
      found.push(...page.entries)
      beforeId = page.nextBeforeId
      if (beforeId === undefined) return found
    }
  }
  return { trail, list, state }
}

describe('requests that are counted', () => {
  test('a hundred thousand failures of one network are one entry an hour, and cost one write', async () => {
    const { trail, list, state } = openTrail()
    for (let index = 0; index < 100_000; index++) {
      state.nowMs = START_MS + index
      trail.count(denied({ requestId: `r${index}` }))
    }
    assert.equal(state.writes, 0)
    await trail.flush()
    assert.equal(state.writes, 1)
    const [entry, ...more] = await list()
    assert.deepEqual(more, [])
    assert.equal(entry?.count, 100_000)
    assert.equal(entry?.requestId, 'r0')
    assert.deepEqual([entry?.timeMs, entry?.lastTimeMs], [START_MS, START_MS + 99_999])
  })

  test('callers beyond a number per hour are counted as others, each failure once', async () => {
    const { trail, list, state } = openTrail()
    for (const hour of [0, 1]) {
      state.nowMs = START_MS + hour * HOUR_MS
      for (let index = 0; index < 3 * SUMS_PER_HOUR; index++) {
        trail.count(denied({ actor: { type: 'unknown', address: `2001:db8:${index.toString(16)}::/64` } }))
        if (index % 500 === 0) await trail.flush()
      }
    }
    await trail.flush()
    const entries = await list()
    assert.equal(entries.length, 2 * (SUMS_PER_HOUR + 1))
    assert.equal(
      entries.reduce((sum, { count }) => sum + count, 0),
      6 * SUMS_PER_HOUR,
    )
    const others = entries.filter(({ actor }) => actor.type === 'others')
    assert.deepEqual(
      others.map(({ count, actor }) => ({ count, actor })),
      [
        { count: 2 * SUMS_PER_HOUR, actor: { type: 'others' } },
        { count: 2 * SUMS_PER_HOUR, actor: { type: 'others' } },
      ],
    )
  })

  test('one kind does not use up the number of another', async () => {
    const { trail, list } = openTrail()
    for (let index = 0; index < 2 * SUMS_PER_HOUR; index++)
      trail.count(denied({ actor: { type: 'unknown', address: `a${index}` } }))
    trail.count(denied({ kind: 'session', actor: { type: 'tenant', id: 'k', address: 'b' } }))
    await trail.flush()
    const session = (await list()).filter(({ kind }) => kind === 'session')
    assert.deepEqual(
      session.map(({ actor }) => actor),
      [{ type: 'tenant', id: 'k', address: 'b' }],
    )
  })

  test('sums that could not be written stay for the next flush, in a bounded number', async () => {
    let isBroken = true
    const { trail, list, state } = openTrail(async () => {
      if (isBroken) throw new Error('disk full')
    })
    for (let hour = 0; hour < 20; hour++) {
      state.nowMs = START_MS + hour * HOUR_MS
      for (let index = 0; index < SUMS_PER_HOUR; index++)
        trail.count(denied({ actor: { type: 'unknown', address: `a${index}` } }))
      await assert.rejects(trail.flush(), /disk full/)
    }
    isBroken = false
    await trail.flush()
    const kept = (await list()).length
    assert.equal(kept, 10 * SUMS_PER_HOUR)
    assert.equal(state.lost.length, 20 * SUMS_PER_HOUR - kept)
  })
})

test('an entry that cannot be written is reported, and recording it does not fail', async () => {
  const { trail, state } = openTrail(async () => {
    throw new Error('disk full')
  })
  const action = denied({ kind: 'administration', action: 'createKey' })
  await trail.record(action)
  assert.deepEqual(state.lost, [action])
})
