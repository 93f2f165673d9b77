/** The contract of every AuditStore. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import type { AuditEntry, AuditKind, NewAuditEntry } from '../../../audit/audit-entry.ts'
import { AUDIT_SCAN_MAX, type AuditFilters, type AuditStore } from '../../../audit/audit-store.ts'

const SMALL = { administration: 4, session: 3, reading: 3, denied: 2 } as const

function entry(fields: Partial<NewAuditEntry> = {}): NewAuditEntry {
  const timeMs = fields.timeMs ?? 1000
  return {
    kind: 'administration',
    timeMs,
    lastTimeMs: timeMs,
    count: 1,
    actor: { type: 'operator', id: 'key1', name: 'Anna', address: '192.0.2.1' },
    action: 'createKey',
    object: 'key2',
    outcome: 'success',
    status: 201,
    requestId: 'r1',
    ...fields,
  }
}

export function auditStoreContract(
  open: (
    entriesMax?: Readonly<Record<AuditKind, number>>,
  ) => Promise<{ readonly store: AuditStore; readonly close: () => Promise<void> }>,
): void {
  let store: AuditStore
  let close: () => Promise<void>

  beforeEach(async () => {
    ;({ store, close } = await open())
  })
  afterEach(() => close())

  async function all(filters: AuditFilters = {}, limit = 100, from: AuditStore = store): Promise<AuditEntry[]> {
    const found: AuditEntry[] = []
    for (let beforeId: number | undefined; ; ) {
      const page = await from.list({ filters, limit, ...(beforeId !== undefined && { beforeId }) })
      assert.ok(page.entries.length <= limit)
      found.push(...page.entries)
      beforeId = page.nextBeforeId
      if (beforeId === undefined) return found
    }
  }
  const objects = (entries: readonly AuditEntry[]) => entries.map(({ object }) => object)

  test('an entry is returned as it was added, with an id; absent members stay absent', async () => {
    const { object: _, ...bare } = entry({ actor: { type: 'unknown' }, outcome: 'refused', status: 401, requestId: '' })
    await store.add([entry(), bare])
    const [second, first] = await all()
    assert.ok(first && second && first.id > 0 && second.id > first.id)
    assert.deepEqual(first, { ...entry(), id: first.id })
    assert.deepEqual(second, { ...bare, id: second.id })
  })

  test('entries with the same sum are one entry: counted, with the first and the last time, under the same id', async () => {
    const sum = (timeMs: number, fields: Partial<NewAuditEntry> = {}) => entry({ timeMs, sum: 'a', ...fields })
    await store.add([sum(5000, { count: 3 }), sum(5000, { sum: 'b' })])
    const [, before] = await all()
    await store.add([sum(9000, { requestId: 'r2' }), sum(7000)])
    const [, after, ...more] = await all()
    assert.deepEqual(more, [])
    assert.ok(before)
    assert.deepEqual(after, { ...before, count: 5, lastTimeMs: 9000 })
  })

  test('following the pages returns each entry once, newest first, whatever is added and removed meanwhile', async () => {
    await store.add(Array.from({ length: 7 }, (_, index) => entry({ object: `o${index}`, timeMs: 1000 + index })))
    const first = await store.list({ filters: {}, limit: 3 })
    assert.deepEqual(objects(first.entries), ['o6', 'o5', 'o4'])
    assert.ok(first.nextBeforeId !== undefined)
    await store.add([entry({ object: 'new' })])
    assert.equal(await store.removeOlderThan(1001, 10), 2)
    const second = await store.list({ filters: {}, limit: 3, beforeId: first.nextBeforeId })
    assert.deepEqual(objects(second.entries), ['o3', 'o2', 'o1'])
    assert.equal(second.nextBeforeId, undefined)
  })

  test('filters by time, kind, actor, action and outcome are combined with AND', async () => {
    await store.add([
      entry({ object: 'a' }),
      entry({ object: 'b', kind: 'denied', outcome: 'refused' }),
      entry({ object: 'c', actor: { type: 'local', id: 'root' }, timeMs: 2000 }),
      entry({ object: 'd', action: 'revokeKey', timeMs: 3000, outcome: 'failed' }),
      entry({ object: 'e', timeMs: 1000, lastTimeMs: 5000, actor: { type: 'unknown' } }),
    ])
    const cases: [AuditFilters, string[]][] = [
      [{ kind: 'denied' }, ['b']],
      [{ actor: 'root' }, ['c']],
      [{ actor: 'Anna' }, []],
      [{ action: 'revokeKey' }, ['d']],
      [{ outcome: 'success' }, ['e', 'c', 'a']],
      [{ fromMs: 2000 }, ['e', 'd', 'c']],
      [{ toMs: 2000 }, ['e', 'b', 'a']],
      [{ fromMs: 2001, toMs: 3000 }, ['e']],
      [{ actor: 'key1', outcome: 'success', toMs: 9000 }, ['a']],
    ]
    for (const [filters, expected] of cases) {
      assert.deepEqual(objects(await all(filters)), expected, JSON.stringify(filters))
      assert.deepEqual(objects(await all(filters, 1)), expected, JSON.stringify(filters))
    }
  })

  test('a search examines a bounded number of entries at a time, and finds the only match in the end', async () => {
    await store.add([entry({ object: 'needle', action: 'addDomain' })])
    await store.add(Array.from({ length: AUDIT_SCAN_MAX + 5 }, () => entry()))
    const first = await store.list({ filters: { action: 'addDomain' }, limit: 10 })
    assert.deepEqual(first.entries, [])
    assert.equal(first.nextBeforeId, (await all())[AUDIT_SCAN_MAX - 1]?.id)
    assert.deepEqual(objects(await all({ action: 'addDomain' })), ['needle'])
  })

  test('old entries are removed in steps, by the time of their last request', async () => {
    await store.add([3, 1, 2, 4].map((timeMs) => entry({ timeMs, object: `o${timeMs}` })))
    await store.add([entry({ timeMs: 1, lastTimeMs: 9, object: 'summed' })])
    assert.equal(await store.removeOlderThan(4, 2), 2)
    assert.deepEqual(objects(await all()), ['summed', 'o4', 'o3'])
    assert.equal(await store.removeOlderThan(4, 2), 1)
    assert.equal(await store.removeOlderThan(4, 2), 0)
    assert.deepEqual(objects(await all()), ['summed', 'o4'])
  })

  test('each kind has its own limit: the oldest of that kind make room, and the others stay', async () => {
    const small = await open(SMALL)
    await small.store.add([entry({ object: 'kept' }), entry({ object: 'session', kind: 'session' })])
    for (let index = 0; index < 9; index++) {
      await small.store.add([entry({ kind: 'denied', object: `d${index}` }), entry({ kind: 'denied', sum: 'x' })])
    }
    const kept = await all({}, 100, small.store)
    assert.deepEqual(objects(kept.filter(({ kind }) => kind !== 'denied')), ['session', 'kept'])
    assert.equal(kept.length, 4)
    await small.store.removeOlderThan(2000, 1)
    await small.store.add(Array.from({ length: 9 }, (_, index) => entry({ object: `a${index}` })))
    const administration = await all({ kind: 'administration' }, 100, small.store)
    assert.deepEqual(objects(administration), ['a8', 'a7', 'a6', 'a5'])
    const session = entry({ kind: 'session' })
    await small.store.add([...['x', 'y'].map((object) => entry({ kind: 'denied', object })), session, session])
    assert.deepEqual(objects(await all({ kind: 'denied' }, 100, small.store)), ['y', 'x'])
    await small.close()
  })

  test('the id of a removed entry is never used again', async () => {
    await store.add([entry()])
    const [first] = await all()
    await store.removeOlderThan(9999, 10)
    await store.add([entry()])
    const [second] = await all()
    assert.ok(first && second && second.id > first.id)
  })
}
