import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  findSource,
  formatSource,
  LOCAL,
  roomOf,
  SOURCE_KINDS,
  sizeInQuarantine,
  sourceOfKey,
} from './quarantine-room.ts'

test('a source is read as it was written, and nothing else is a source', () => {
  for (const kind of SOURCE_KINDS) {
    for (const name of ['', '192.0.2.1']) {
      assert.deepEqual(findSource(formatSource({ kind, name })), { kind, name })
    }
  }
  assert.deepEqual([formatSource(LOCAL), formatSource({ kind: 'smtp', name: '::1' })], ['local', 'smtp ::1'])
  for (const text of ['', 'nobody', 'smtp a b', 'SMTP 192.0.2.1', ' local']) assert.equal(findSource(text), undefined)
})

test('commands on this machine are a source of their own, keys are named by their id', () => {
  assert.deepEqual(sourceOfKey('local'), { kind: 'local', name: '' })
  assert.deepEqual(sourceOfKey('abc'), { kind: 'key', name: 'abc' })
})

test('strangers and tenants beyond their quota get a quarter, each of them a sixteenth; our own records always fit', () => {
  const rooms = SOURCE_KINDS.map((kind) => {
    const { source, kind: ofKind, all } = roomOf(kind, 1600)
    return [kind, source, ofKind, all]
  })
  assert.deepEqual(rooms, [
    ['key', 400, 1600, 1600],
    ['local', 1600, 1600, 1600],
    ['smtp', 100, 400, 1600],
    ['server', Infinity, Infinity, Infinity],
    ['tenant', 100, 400, 1600],
    ['earlier', Infinity, Infinity, Infinity],
  ])
})

test('a record without content takes room too', () => {
  assert.equal(sizeInQuarantine({ payload: new Uint8Array(0) }), 512)
  assert.equal(sizeInQuarantine({ payload: new Uint8Array(100) }), 612)
})
