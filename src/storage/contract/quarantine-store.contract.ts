/** The contract of every QuarantineStore. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import type { QuarantineStore, RejectedRecord } from '../../events/ingest/quarantine-store.ts'

const record = (payload: string, extra: Partial<RejectedRecord> = {}): RejectedRecord => ({
  payload: new TextEncoder().encode(payload),
  connector: 'native',
  reason: 'unknown domain',
  ...extra,
})

export function quarantineStoreContract(
  open: () => Promise<{ readonly store: QuarantineStore; readonly close: () => Promise<void> }>,
): void {
  let store: QuarantineStore
  let close: () => Promise<void>

  beforeEach(async () => {
    ;({ store, close } = await open())
  })
  afterEach(() => close())

  const all = () => store.list({ afterId: 0, limit: 1000 })
  const payloads = async () => (await all()).map(({ payload }) => new TextDecoder().decode(payload))

  test('a record is stored byte for byte with its connector, reason and time', async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index)
    await store.add([record('', { payload: bytes, connector: 'kumomta', reason: 'not JSON: “x”' })], 5000)
    const [kept] = await all()
    assert.ok(kept && kept.id > 0)
    assert.deepEqual(kept, {
      id: kept.id,
      payload: bytes,
      connector: 'kumomta',
      reason: 'not JSON: “x”',
      rejectedAtMs: 5000,
      times: 1,
    })
  })

  test('the same record is stored once: counted, with the newest reason and time, under the same id', async () => {
    await store.add([record('a')], 1000)
    const [first] = await all()
    await store.add([record('a', { reason: 'too old' }), record('a', { reason: 'still too old' })], 2000)
    const [kept, ...more] = await all()
    assert.deepEqual(more, [])
    assert.equal(kept?.id, first?.id)
    assert.equal(kept?.times, 3)
    assert.equal(kept?.reason, 'still too old')
    assert.equal(kept?.rejectedAtMs, 2000)
  })

  test('records differ by payload and by connector, wherever the border between the two lies', async () => {
    await store.add(
      [record('b', { connector: 'a' }), record('', { connector: 'ab' }), record('ab', { connector: '' })],
      1,
    )
    await store.add(
      [record('B', { connector: 'a' }), record('x', { connector: '"' }), record('"x', { connector: '' })],
      1,
    )
    assert.equal(await store.count(), 6)
  })

  test('the list is oldest first, in pages that follow each other', async () => {
    await store.add(
      ['a', 'b', 'c', 'd', 'e'].map((payload) => record(payload)),
      1000,
    )
    assert.deepEqual(await payloads(), ['a', 'b', 'c', 'd', 'e'])
    const seen: string[] = []
    let afterId = 0
    for (;;) {
      const page = await store.list({ afterId, limit: 2 })
      if (page.length === 0) break
      assert.ok(page.length <= 2)
      for (const { id, payload } of page) {
        seen.push(new TextDecoder().decode(payload))
        afterId = id
      }
    }
    assert.deepEqual(seen, ['a', 'b', 'c', 'd', 'e'])
  })

  test('records of one connector can be counted and removed separately', async () => {
    await store.add([record('a', { connector: 'one' }), record('b', { connector: 'two' }), record('c')], 1000)
    assert.deepEqual([await store.count(), await store.count('one'), await store.count('none')], [3, 1, 0])
    assert.equal(await store.removeAll('one'), 1)
    assert.deepEqual(await payloads(), ['b', 'c'])
    assert.equal(await store.removeAll(), 2)
    assert.equal(await store.count(), 0)
  })

  test('only the given records are removed; ids are never reused', async () => {
    await store.add([record('a'), record('b'), record('c')], 1000)
    const ids = (await all()).map(({ id }) => id)
    await store.remove([ids[0] ?? 0, ids[2] ?? 0, 999_999])
    await store.remove([])
    assert.deepEqual(await payloads(), ['b'])
    assert.equal(await store.count(), 1)
    await store.add([record('d')], 1000)
    const fresh = (await all()).at(-1)
    assert.ok(fresh && fresh.id > Math.max(...ids))
  })

  test('records last rejected before a given time are removed, and their number is returned', async () => {
    await store.add([record('old'), record('renewed')], 1000)
    await store.add([record('renewed'), record('border')], 2000)
    assert.equal(await store.removeOlderThan(2000), 1)
    assert.deepEqual(await payloads(), ['renewed', 'border'])
    assert.equal(await store.removeOlderThan(2000), 0)
  })

  test('an empty batch and an empty store are accepted', async () => {
    await store.add([], 1000)
    assert.equal(await store.count(), 0)
    assert.deepEqual(await all(), [])
    assert.equal(await store.removeOlderThan(Number.MAX_SAFE_INTEGER), 0)
  })

  test('the same record of an operator key and of the key of a tenant are two', async () => {
    await store.add([record('x'), record('x', { tenantId: 't1' }), record('x', { tenantId: 't2' })], 1)
    await store.add([record('x', { tenantId: 't1' })], 2)
    const kept = (await all()).map(({ tenantId, times }) => [tenantId, times])
    assert.deepEqual(kept, [
      [undefined, 1],
      ['t1', 2],
      ['t2', 1],
    ])
  })
}
