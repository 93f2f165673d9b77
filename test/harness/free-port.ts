/** A port that nobody listens on, for programs that cannot pick one themselves. */
import { once } from 'node:events'
import { createServer } from 'node:net'

export async function findFreePort(host = '127.0.0.1'): Promise<number> {
  const server = createServer().listen(0, host)
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}
