import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../lib/app-error.ts'
import { createSealer } from '../lib/sealer.ts'
import { type Cursor, createCursors } from './cursor.ts'

const HOUR = 3_600_000
const MASTER_KEY = Buffer.alloc(32, 7)
const OWNER = { tenantId: 't1', domainNumber: 3 }
const CURSOR: Cursor = {
  ...OWNER,
  filters: { types: ['Bounce'], subject: 'Ä "x"', startTimestamp: 1, endTimestamp: 2 },
  after: { timestamp: 2, arrival: 9 },
}

function open(nowMs = 0) {
  const clock = { nowMs }
  return { clock, cursors: createCursors(createSealer(MASTER_KEY, 'cursor'), () => clock.nowMs) }
}

const isInvalid = (error: unknown) => error instanceof AppError && error.code === 'invalid_cursor'

test('what was written is read back', () => {
  const { cursors } = open()
  const { tenantId, domainNumber, filters, after } = cursors.read(cursors.write(CURSOR), OWNER)
  assert.deepEqual({ tenantId, domainNumber, filters, after }, CURSOR)
})

test('two tokens for the same place differ and show nothing of what is in them', () => {
  const { cursors } = open()
  assert.notEqual(cursors.write(CURSOR), cursors.write(CURSOR))
  assert.doesNotMatch(Buffer.from(cursors.write(CURSOR), 'base64url').toString('latin1'), /Bounce|t1/)
})

test('a token with any character changed, left out or added is refused', () => {
  const { cursors } = open()
  const token = cursors.write(CURSOR)
  for (let at = 0; at < token.length; at++) {
    for (const other of token[at] === 'A' ? 'B_' : 'A ') {
      assert.throws(() => cursors.read(token.slice(0, at) + other + token.slice(at + 1), OWNER), isInvalid)
    }
    assert.throws(() => cursors.read(token.slice(0, at) + token.slice(at + 1), OWNER), isInvalid)
  }
  for (const other of ['', 'x', `${token}=`, `${token}A`, ` ${token}`, token.toUpperCase()]) {
    assert.throws(() => cursors.read(other, OWNER), isInvalid)
  }
})

test('a token of another tenant, domain, key or purpose is refused', () => {
  const { cursors } = open()
  const token = cursors.write(CURSOR)
  assert.throws(() => cursors.read(token, { ...OWNER, tenantId: 't2' }), isInvalid)
  assert.throws(() => cursors.read(token, { ...OWNER, domainNumber: 4 }), isInvalid)
  const otherKey = createCursors(createSealer(Buffer.alloc(32, 8), 'cursor'), () => 0)
  assert.throws(() => otherKey.read(token, OWNER), isInvalid)
  const otherPurpose = createCursors(createSealer(MASTER_KEY, 'dkim private key'), () => 0)
  assert.throws(() => otherPurpose.read(token, OWNER), isInvalid)
})

test('a token is good for 24 hours', () => {
  const { cursors, clock } = open()
  const token = cursors.write(CURSOR)
  clock.nowMs = 24 * HOUR
  cursors.read(token, OWNER)
  clock.nowMs = 24 * HOUR + 1
  assert.throws(() => cursors.read(token, OWNER), /expired/)
})
