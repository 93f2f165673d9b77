import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Source, sizeInQuarantine } from '../../events/ingest/quarantine-room.ts'
import type { RejectedRecord } from '../../events/ingest/quarantine-store.ts'
import { fingerprintOf, isSelected, sumBySource, takeWithin, toRecord } from './quarantine-row.ts'

const TENANT: Source = { kind: 'tenant', name: 't1' }

function recordOf(source: Source, payload: string, fields: Partial<RejectedRecord> = {}): RejectedRecord {
  return { connector: 'kumomta', reason: 'r', payload: Buffer.from(payload), source, ...fields } as RejectedRecord
}

test('rows are taken as far as they fit, and at least one', () => {
  const take = (bytesMax: number, ...sizes: readonly number[]) =>
    takeWithin(
      sizes.map((bytes) => ({ bytes })),
      bytesMax,
    ).length
  assert.deepEqual(
    [take(10), take(10, 5, 5), take(10, 5, 6), take(10, 5, 5, 1, 1), take(10, 11), take(10, 11, 1), take(0, 0, 0)],
    [0, 2, 1, 2, 1, 1, 2],
  )
})

test('the bytes of records are added up by their source', () => {
  const other: Source = { kind: 'tenant', name: 't2' }
  const records = [recordOf(TENANT, 'a'), recordOf(other, 'bbbb'), recordOf(TENANT, 'cc')]
  const [first, second, third] = records.map(sizeInQuarantine) as [number, number, number]
  assert.deepEqual(sumBySource(records), [
    { source: TENANT, bytes: first + third },
    { source: other, bytes: second },
  ])
  assert.deepEqual(sumBySource([]), [])
})

test('a record is selected by its connector, its source, and the tenant that it belongs to or came from', () => {
  const own = { connector: 'kumomta', sourceKind: 'tenant', source: 't1', tenantId: 't2' } as const
  const ownerless = { ...own, tenantId: null }
  const ofKey = { ...own, sourceKind: 'key' as const, tenantId: null } as unknown as typeof own
  const selected: readonly [row: Parameters<typeof isSelected>[0], filter: object, is: boolean][] = [
    [own, {}, true],
    [own, { connector: 'kumomta' }, true],
    [own, { connector: 'other' }, false],
    [own, { tenantId: 't2' }, true],
    [own, { tenantId: 't1' }, true],
    [own, { tenantId: 't3' }, false],
    [ownerless, { tenantId: 't1' }, true],
    [ownerless, { tenantId: 't2' }, false],
    [ofKey, { tenantId: 't1' }, false],
    [own, { source: TENANT }, true],
    [own, { source: { kind: 'tenant', name: 't2' } }, false],
    [own, { source: { kind: 'key', name: 't1' } }, false],
    [own, { connector: 'kumomta', tenantId: 't2', source: TENANT }, true],
    [own, { connector: 'kumomta', tenantId: 't3', source: TENANT }, false],
  ]
  for (const [row, filter, is] of selected)
    assert.equal(isSelected(row, filter), is, `${JSON.stringify(row)} ${JSON.stringify(filter)}`)
})

test('the fingerprint of a record stays as it is, and is that of no other', () => {
  const hex = (record: RejectedRecord) => Buffer.from(fingerprintOf(record)).toString('hex')
  const record = recordOf(TENANT, 'payload')
  assert.equal(hex(record), '661de74c002204acc07f5eefdff6e46bb2e4b20d49b00164163c1b8b1e437ef5')
  const others = [
    recordOf(TENANT, 'payloae'),
    recordOf(TENANT, 'payload', { tenantId: 't1' }),
    recordOf(TENANT, 'payload', { tenantId: 't2' }),
    recordOf(TENANT, 'payload', { connector: 'other' }),
  ]
  assert.equal(new Set([record, ...others].map(hex)).size, 5)
  assert.equal(hex(recordOf({ kind: 'tenant', name: 'x' }, 'payload', { reason: 'x' })), hex(record))
})

test('a row is a record with its source, and with a tenant if it has one', () => {
  const row = { id: 1, connector: 'c', reason: 'r', payload: Buffer.of(1), rejectedAtMs: 5, times: 2 }
  const columns = { sourceKind: 'tenant', source: 't1' } as const
  assert.deepEqual(toRecord({ ...row, ...columns, tenantId: null }), { ...row, source: TENANT })
  assert.deepEqual(toRecord({ ...row, ...columns, tenantId: 't2' }), { ...row, source: TENANT, tenantId: 't2' })
})
