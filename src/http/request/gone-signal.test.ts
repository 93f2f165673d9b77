import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { openAppFixture } from '../../../test/harness/app/app-fixture.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Storage } from '../../storage/storage.ts'

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
