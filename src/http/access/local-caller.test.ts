import assert from 'node:assert/strict'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { isLocalRequest, LOCAL_TOKEN_HEADER, markLocal } from './local-caller.ts'

function requestOn(socket: Socket, token?: string | string[]): IncomingMessage {
  const request = new IncomingMessage(socket)
  if (token !== undefined) request.headers[LOCAL_TOKEN_HEADER] = token
  return request
}

test('a connection of the control socket is local, with whatever header', () => {
  const socket = new Socket()
  assert.equal(isLocalRequest(requestOn(socket), undefined), false)
  markLocal(socket)
  assert.equal(isLocalRequest(requestOn(socket), undefined), true)
  assert.equal(isLocalRequest(requestOn(socket, 'wrong'), 'right'), true)
  assert.equal(isLocalRequest(requestOn(new Socket()), undefined), false)
})

test('without the control socket only the whole token makes a request local, and none does if there is no token', () => {
  const isLocal = (presented: string | string[] | undefined, token: string | undefined) =>
    isLocalRequest(requestOn(new Socket(), presented), token)
  assert.equal(isLocal('right', 'right'), true)
  for (const presented of [undefined, '', 'righ', 'rights', 'wrong', ['right']]) {
    assert.equal(isLocal(presented, 'right'), false, String(presented))
  }
  for (const presented of ['', 'undefined', 'right']) assert.equal(isLocal(presented, undefined), false, presented)
})
