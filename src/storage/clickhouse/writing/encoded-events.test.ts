import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { zstdCompressSync } from 'node:zlib'
import fc from 'fast-check'
import { attributedEvents } from '../../contract/event-arbitraries.ts'
import { encodeEvents } from '../rows/encode-rows.ts'
import { toEventRow } from '../rows/event-row.ts'
import { packContent, unpackContent } from './batch-payload.ts'
import { boundsOf, encodeChunk, joinRows, numberEvents } from './encoded-events.ts'

const FIRST = 2 ** 40 + 2 ** 32 - 3

test('rows that were encoded apart and got their numbers later are the bytes of an insert of them', () => {
  const chosen = fc.tuple(fc.array(attributedEvents, { minLength: 1, maxLength: 3 }), fc.infiniteStream(fc.boolean()))
  fc.assert(
    fc.property(chosen, ([calls, isTaken]) => {
      const rows = calls.flatMap((events) => {
        const own = events.map(toEventRow)
        const chunk = encodeChunk(own)
        return own.map((row, place) => ({ row, chunk, place }))
      })
      const taken = rows.filter(() => isTaken.next().value)
      const joined = joinRows(taken)
      numberEvents(joined, FIRST)
      const expected = encodeEvents(
        taken.map(({ row }) => row),
        FIRST,
      )
      assert.ok(Buffer.from(joined.bytes).equals(expected))
      if (taken.length === 0) return
      const { domains, from, to } = boundsOf(joined)
      assert.deepEqual(domains, new Set(taken.map(({ row }) => row.domain)))
      const times = taken.map(({ row }) => row.event.timestamp)
      assert.deepEqual([from, to], [Math.min(...times), Math.max(...times)])
    }),
  )
})

test('an event of the first second is found there', () => {
  const { row } = rowOf('a')
  const chunk = encodeChunk([{ ...row, event: { ...row.event, timestamp: 0 } }])
  assert.deepEqual(boundsOf(joinRows([{ chunk, place: 0 }])), { domains: new Set([3]), from: 0, to: 0 })
})

test('what is read back from the payload of a batch is what was packed', async () => {
  const rows = [{ ...rowOf('a'), place: 0 }]
  const events = joinRows(rows)
  const counts = [
    ['event_hour', Uint8Array.from(randomBytes(100_000))],
    ['domain_change', Uint8Array.from([1])],
  ] as const
  const content = await unpackContent(await packContent({ events, counts }))
  assert.deepEqual(content.events.lengths, events.lengths)
  assert.ok(Buffer.from(content.events.bytes).equals(events.bytes))
  assert.deepEqual(
    content.counts.map(([table, bytes]) => [table, Uint8Array.from(bytes)]),
    counts,
  )
})

test('a payload that is damaged is refused', async () => {
  const payload = await packContent({ events: joinRows([{ ...rowOf('a'), place: 0 }]), counts: [] })
  await assert.rejects(unpackContent(payload.subarray(0, payload.length - 5)))
  const withParts = (parts: readonly (readonly [string, number])[]) => {
    const header = Buffer.from(JSON.stringify(parts))
    const length = Buffer.alloc(4)
    length.writeUInt32LE(header.length)
    return unpackContent(zstdCompressSync(Buffer.concat([length, header, Buffer.alloc(8)])))
  }
  assert.equal(
    (
      await withParts([
        ['lengths', 4],
        ['event', 4],
      ])
    ).events.bytes.length,
    4,
  )
  await assert.rejects(withParts([['lengths', 4]]), /no events/)
  await assert.rejects(withParts([]), /no events/)
})

function rowOf(id: string) {
  const event = {
    id,
    timestamp: 1_772_323_200,
    type: 'Delivery',
    domain_name: 'a.test',
    recipient: 'b@b.test',
  } as const
  const row = toEventRow({ domainNumber: 3, event })
  return { row, chunk: encodeChunk([row]) }
}
