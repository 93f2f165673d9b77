import assert from 'node:assert/strict'
import { test } from 'node:test'
import { takeGivenSocket } from './given-socket.ts'

test('the socket is taken once', () => {
  const environment = { LISTEN_PID: '7', LISTEN_FDS: '1', LISTEN_FDNAMES: 'envelog.socket', PATH: '/bin' }
  assert.equal(takeGivenSocket(environment, 7), 3)
  assert.deepEqual(environment, { PATH: '/bin' })
  assert.equal(takeGivenSocket(environment, 7), undefined)
})

test('the socket of another process is left alone', () => {
  const environment = { LISTEN_PID: '8', LISTEN_FDS: '1' }
  assert.equal(takeGivenSocket(environment, 7), undefined)
  assert.deepEqual(environment, { LISTEN_PID: '8', LISTEN_FDS: '1' })
})

test('more than one socket is refused', () => {
  assert.throws(() => takeGivenSocket({ LISTEN_PID: '7', LISTEN_FDS: '2' }, 7), {
    code: 'conflict',
    message: /hands over 2/,
  })
})
