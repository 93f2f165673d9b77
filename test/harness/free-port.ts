/** Free ports, for programs that cannot pick one themselves. */
import { once } from 'node:events'
import { createConnection, createServer } from 'node:net'

const GREETING_TIMEOUT_MS = 5000

/** A port that no program listens on. */
export async function findFreePort(host = '127.0.0.1'): Promise<number> {
  const server = createServer().listen(0, host)
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

/** Whether a server there sends the first line, as mail servers do. */
export function answersAt(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ port, host })
    socket.once('data', () => {
      resolve(true)
      socket.destroy()
    })
    socket.once('error', () => resolve(false))
    socket.once('close', () => resolve(false))
    socket.setTimeout(GREETING_TIMEOUT_MS, () => socket.destroy())
  })
}
