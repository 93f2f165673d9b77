import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { test } from 'node:test'
import { openAppFixture } from '../../../test/harness/app/app-fixture.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Storage } from '../../storage/storage.ts'
import { goneSignal } from './gone-signal.ts'

test('the signal aborts if the connection closes before the response was sent, and not after', () => {
  for (const writableFinished of [false, true]) {
    const raw = Object.assign(new EventEmitter(), { writableFinished })
    const signal = goneSignal({ raw: raw as unknown as ServerResponse })
    assert.equal(signal.aborted, false)
    raw.emit('close')
    assert.equal(signal.aborted, !writableFinished)
  }
})

for (const path of ['/webhooks/acme.test?subject=x', '/v1/events?q=x']) {
  test(`a client that disconnects ends its search: ${path}`, async () => {
    const [begun, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    // Never answers, unless the caller goes away.
    const list: Storage['log']['list'] = ({ signal }) =>
      new Promise((_, reject) => {
        signal?.addEventListener('abort', () => {
          left.resolve()
          reject(new AppError('invalid_request', 'gone'))
        })
        begun.resolve()
      })
    const wrapStorage = (storage: Storage) => ({ ...storage, log: { ...storage.log, list } })
    await using fixture = await openAppFixture({ wrapStorage })
    const { port } = new URL(await fixture.app.listen({ host: '127.0.0.1', port: 0 }))
    const socket = connect(Number(port), '127.0.0.1')
    await once(socket, 'connect')
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${fixture.acme.key}\r\n\r\n`)
    await begun.promise
    socket.destroy()
    await left.promise
  })
}
