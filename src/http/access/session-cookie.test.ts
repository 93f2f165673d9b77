import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findSessionCookie, removeSessionCookies, writeSessionCookie } from './session-cookie.ts'

test('a cookie is found among others by its whole name', () => {
  const header = 'a=1; xenvelog_session=no; envelog_session=yes=1; envelog_sessions=no'
  assert.equal(findSessionCookie(header, 'http'), 'yes=1')
  assert.equal(findSessionCookie('a=1', 'http'), undefined)
  assert.equal(findSessionCookie(undefined, 'http'), undefined)
})

test('the cookie that only this host can set comes first, and over TLS it is the only one that counts', () => {
  const both = 'envelog_session=plain; __Host-envelog_session=own'
  assert.equal(findSessionCookie(both, 'http'), 'own')
  assert.equal(findSessionCookie(both, 'https'), 'own')
  assert.equal(findSessionCookie('envelog_session=plain', 'https'), undefined)
})

test('no script can read the cookie and no other site sends it; over TLS it is sent over TLS only', () => {
  const plain = 'envelog_session=t; HttpOnly; SameSite=Strict; Path=/; Max-Age=90'
  assert.equal(writeSessionCookie('t', 90_000, 'http'), plain)
  assert.equal(writeSessionCookie('t', 90_000, 'https'), `__Host-${plain}; Secure`)
  const gone = 'envelog_session=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0'
  assert.deepEqual(removeSessionCookies(), [gone, `__Host-${gone}; Secure`])
})
