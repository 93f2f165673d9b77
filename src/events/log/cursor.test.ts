import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../lib/app-error.ts'
import { writeToken } from '../../lib/sealing/sealed-token.ts'
import { createSealer } from '../../lib/sealing/sealer.ts'
import { type Cursor, createCursors } from './cursor.ts'

const HOUR = 3_600_000
const MASTER_KEY = Buffer.alloc(32, 7)
const CURSOR: Cursor = {
  tenantId: 't1',
  asked: { domains: ['a.test'], filters: { types: ['Bounce'], subject: 'Ä "x"' }, endTimestamp: 2 },
  window: { startTimestamp: 1, endTimestamp: 2 },
  after: '2.9',
}

function open(nowMs = 0) {
  const clock = { nowMs }
  return { clock, cursors: createCursors(createSealer(MASTER_KEY, 'cursor'), () => clock.nowMs, 'next_token') }
}

const isInvalid = (error: unknown) => error instanceof AppError && error.code === 'invalid_cursor'

test('what was written is read back', () => {
  const { cursors } = open()
  const { tenantId, asked, window, after } = cursors.read(cursors.write(CURSOR), 't1')
  assert.deepEqual({ tenantId, asked, window, after }, CURSOR)
})

test('two tokens for the same position differ and show nothing of what is in them', () => {
  const { cursors } = open()
  assert.notEqual(cursors.write(CURSOR), cursors.write(CURSOR))
  assert.doesNotMatch(Buffer.from(cursors.write(CURSOR), 'base64url').toString('latin1'), /Bounce|t1/)
})

test('a token with any character changed, left out or added is refused', () => {
  const { cursors } = open()
  const token = cursors.write(CURSOR)
  for (let at = 0; at < token.length; at++) {
    for (const other of token[at] === 'A' ? 'B_' : 'A ') {
      assert.throws(() => cursors.read(token.slice(0, at) + other + token.slice(at + 1), 't1'), isInvalid)
    }
    assert.throws(() => cursors.read(token.slice(0, at) + token.slice(at + 1), 't1'), isInvalid)
  }
  for (const other of ['', 'x', `${token}=`, `${token}A`, ` ${token}`, token.toUpperCase()]) {
    assert.throws(() => cursors.read(other, 't1'), isInvalid)
  }
})

test('a token of another tenant, key, purpose or layout is refused', () => {
  const { cursors } = open()
  const token = cursors.write(CURSOR)
  assert.throws(() => cursors.read(token, 't2'), isInvalid)
  const otherKey = createCursors(createSealer(Buffer.alloc(32, 8), 'cursor'), () => 0, 'cursor')
  assert.throws(() => otherKey.read(token, 't1'), isInvalid)
  const otherPurpose = createCursors(createSealer(MASTER_KEY, 'dkim private key'), () => 0, 'cursor')
  assert.throws(() => otherPurpose.read(token, 't1'), isInvalid)
  const unversioned = writeToken(createSealer(MASTER_KEY, 'cursor'), { ...CURSOR, issuedAtMs: 0 })
  assert.throws(() => cursors.read(unversioned, 't1'), isInvalid)
})

test('a token is valid for 24 hours; errors call it what the caller calls it', () => {
  const { cursors, clock } = open()
  const token = cursors.write(CURSOR)
  clock.nowMs = 24 * HOUR
  cursors.read(token, 't1')
  clock.nowMs = 24 * HOUR + 1
  assert.throws(() => cursors.read(token, 't1'), /^AppError: next_token has expired/)
})
