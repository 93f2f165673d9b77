import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSealer } from '../lib/sealing/sealer.ts'
import { createSessions, isSameCsrfToken, SESSION_MS } from './session.ts'

const MASTER_KEY = Buffer.alloc(32, 7)

function open(nowMs = 0, purpose = 'session') {
  const clock = { nowMs }
  return { clock, sessions: createSessions(createSealer(MASTER_KEY, purpose), () => clock.nowMs) }
}

test('a session is readable by another process of the installation, and contains nothing in clear text', () => {
  const { token, ...session } = open().sessions.issue('key1')
  assert.deepEqual(open().sessions.read(token), session)
  assert(!Buffer.from(token, 'base64url').toString('latin1').includes('key1'))
})

test('a session ends after twelve hours to the millisecond', () => {
  const { clock, sessions } = open()
  const { token } = sessions.issue('key1')
  clock.nowMs = SESSION_MS - 1
  assert(sessions.read(token))
  clock.nowMs = SESSION_MS
  assert.equal(sessions.read(token), undefined)
})

test('a modified token, or a token sealed for another purpose, is not a session', () => {
  const { sessions } = open()
  const { token } = sessions.issue('key1')
  for (let at = 0; at < token.length; at++) {
    const changed = `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`
    assert.equal(sessions.read(changed), undefined, String(at))
  }
  for (const other of ['', 'rubbish', `${token}=`, `${token}A`, open(0, 'cursor').sessions.issue('key1').token]) {
    assert.equal(sessions.read(other), undefined)
  }
})

test('two sessions of a key differ in token and CSRF token', () => {
  const { sessions } = open()
  const [one, other] = [sessions.issue('key1'), sessions.issue('key1')]
  assert.notEqual(one.token, other.token)
  assert.notEqual(one.csrfToken, other.csrfToken)
})

test('only the exact CSRF token is accepted', () => {
  const { csrfToken } = open().sessions.issue('key1')
  assert(isSameCsrfToken(csrfToken, csrfToken))
  for (const presented of [undefined, '', `${csrfToken} `, csrfToken.toLowerCase(), csrfToken.slice(1)]) {
    assert(!isSameCsrfToken(csrfToken, presented))
  }
  assert(!isSameCsrfToken('', undefined))
})
