/** The contract of every QuarantineStore. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { clearOlderThan, clearQuarantine } from '../../../events/ingest/clear-quarantine.ts'
import {
  LOCAL,
  QUARANTINE_STEP,
  SERVER,
  type Source,
  sizeInQuarantine,
} from '../../../events/ingest/quarantine-room.ts'
import type { QuarantineStore, RejectedRecord } from '../../../events/ingest/quarantine-store.ts'

/** The room of the stores that the suite is given: small, so that it is quickly full. */
export const ROOM_BYTES = 16 * 16_384

const record = (payload: string, extra: Partial<RejectedRecord> = {}): RejectedRecord => ({
  payload: new TextEncoder().encode(payload),
  connector: 'native',
  source: LOCAL,
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
    const source: Source = { kind: 'key', name: 'k1' }
    await store.add([record('', { payload: bytes, connector: 'kumomta', source, reason: 'not JSON: “x”' })], 5000)
    const [kept] = await all()
    assert.ok(kept && kept.id > 0)
    assert.deepEqual(kept, {
      id: kept.id,
      payload: bytes,
      connector: 'kumomta',
      source,
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

  test('records of one connector or source can be removed separately', async () => {
    const smtp: Source = { kind: 'smtp', name: '192.0.2.1' }
    await store.add([record('a', { connector: 'one' }), record('b', { source: smtp }), record('c')], 1000)
    assert.equal(await clearQuarantine(store, { connector: 'none' }), 0)
    assert.equal(await clearQuarantine(store, { connector: 'one' }), 1)
    assert.equal(await clearQuarantine(store, { source: { ...smtp, name: '192.0.2.2' } }), 0)
    assert.equal(await clearQuarantine(store, { source: smtp }), 1)
    assert.deepEqual(await payloads(), ['c'])
    assert.equal(await clearQuarantine(store, {}), 1)
    assert.equal(await store.count(), 0)
  })

  test('records of a tenant are removed by its keys and its room; records with a text whatever its letter case and escapes', async () => {
    const room: Source = { kind: 'tenant', name: 't1' }
    await store.add(
      [
        record('own', { tenantId: 't1' }),
        record('beyond', { source: room }),
        record('to Anna@Example.org'),
        record('to anna\\u0040EXAMPLE.org'),
        record('short', { reason: 'recipient: "anna@example.org"' }),
        record('to joanna@example.or'),
        record('other', { tenantId: 't2', source: { ...room, name: 't2' } }),
      ],
      1000,
    )
    assert.equal(await clearQuarantine(store, { tenantId: 't1' }), 2)
    assert.equal(await clearQuarantine(store, { text: 'ANNA@example.org' }), 3)
    assert.deepEqual(await payloads(), ['to joanna@example.or', 'other'])
  })

  test('large quarantines are removed in steps, and large pages are short, but never empty', async () => {
    const count = QUARANTINE_STEP.removedRows * 2 + 1
    const many = Array.from({ length: count }, (_, n) => record(String(n), { source: SERVER }))
    await store.add(many, 1000)
    const ids = (await all()).map(({ id }) => id)
    const { removed, next } = await store.removeNext({}, 0)
    assert.equal(removed, QUARANTINE_STEP.removedRows)
    assert.equal(next, ids[QUARANTINE_STEP.removedRows - 1])
    assert.equal(await clearQuarantine(store, {}), count - removed)
    const payload = new Uint8Array(QUARANTINE_STEP.pageBytes + 1)
    for (let n = 0; n < 3; n++) await store.add([record('', { payload, connector: `c${n}`, source: SERVER })], 1000)
    assert.equal((await all()).length, 1)
    await clearQuarantine(store, {})
    const half = new Uint8Array(QUARANTINE_STEP.pageBytes / 2)
    for (let n = 0; n < 3; n++)
      await store.add([record('', { payload: half, connector: `c${n}`, source: SERVER })], 1000)
    assert.equal((await all()).length, 2)
  })

  describe('room', () => {
    const network = (name: string): Source => ({ kind: 'smtp', name })
    const key = (name: string): Source => ({ kind: 'key', name })
    let sent = 0
    /** Records of 4 KiB until one is refused; how many bytes the source then has. */
    const fill = async (source: Source): Promise<number> => {
      for (let bytes = 0; ; ) {
        const next = record('', { payload: Buffer.from(String(sent++).padEnd(3584)), source })
        if (!(await store.add([next], 1))) return bytes
        bytes += sizeInQuarantine(next)
      }
    }

    test('a client network gets a sixteenth, all of them together a quarter, and keys are not affected', async () => {
      assert.equal(await fill(network('a')), ROOM_BYTES / 16)
      assert.equal(await fill(network('a')), 0)
      for (const name of ['b', 'c', 'd']) assert.equal(await fill(network(name)), ROOM_BYTES / 16, name)
      assert.equal(await fill(network('e')), 0)
      assert.equal(await fill(key('a')), ROOM_BYTES / 4, 'of the same name')
    })

    test('a key gets a quarter, all sources together the whole; only the server itself is never refused', async () => {
      for (const name of ['a', 'b', 'c']) assert.equal(await fill(key(name)), ROOM_BYTES / 4)
      assert.equal(await fill(LOCAL), ROOM_BYTES / 4)
      assert.equal(await fill(network('a')), 0)
      assert.equal(await store.add([record('hit', { source: SERVER })], 1), true)
    })

    test('of a batch that does not fit nothing is kept; a record that is there already always fits', async () => {
      const full = record('full'.padEnd(3584), { source: network('a') })
      await store.add([full], 1)
      await fill(network('a'))
      const { records, bytes } = await store.usage(10)
      assert.equal(bytes, ROOM_BYTES / 16)
      assert.equal(
        await store.add([full, record('new', { source: network('a'), payload: new Uint8Array(4096) })], 2),
        false,
      )
      assert.deepEqual([(await store.usage(10)).records, (await store.usage(10)).bytes], [records, bytes])
      assert.equal(await store.add([full], 3), true)
      assert.equal((await all()).find(({ id }) => id === 1)?.times, 2)
    })

    test('use is known by source, largest first, whatever comes and goes', async () => {
      await store.add([record('a', { source: network('n') }), record('bb'), record('cc'), record('cc')], 1)
      // Another source sends a record that is there: it stays where it is.
      await store.add([record('bb', { source: key('k') })], 2)
      const [first, ...rest] = [LOCAL, network('n')]
      assert.deepEqual(await store.usage(10), {
        records: 3,
        bytes: 3 * 512 + 5,
        sources: [
          { source: first, records: 2, bytes: 1028 },
          { source: rest[0], records: 1, bytes: 513 },
        ],
      })
      assert.equal((await store.usage(1)).sources.length, 1)
      const ids = (await all()).map(({ id }) => id)
      assert.equal(await store.remove(ids.slice(1)), 2)
      assert.deepEqual((await store.usage(10)).sources, [{ source: network('n'), records: 1, bytes: 513 }])
      assert.equal(await clearOlderThan(store, 5), 1)
      assert.deepEqual(await store.usage(10), { records: 0, bytes: 0, sources: [] })
    })
  })

  test('only the given records are removed; ids are never reused', async () => {
    await store.add([record('a'), record('b'), record('c')], 1000)
    const ids = (await all()).map(({ id }) => id)
    assert.equal(await store.remove([ids[0] ?? 0, ids[2] ?? 0, 999_999]), 2)
    assert.equal(await store.remove([]), 0)
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
