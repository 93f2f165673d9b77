/**
 * The control socket: commands on this machine reach the running server through it, without a key.
 *
 * Connections are passed to the app's HTTP server, so that routes, limits, timeouts, log and errors are the same as for every
 * other client.
 */
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { CONTROL_SOCKET, openControlSocketPath } from '../../lib/control-socket.ts'
import { markLocal } from '../access/local-caller.ts'
import { reapConnections } from './graceful-close.ts'
import { SERVER_LIMITS } from './server-limits.ts'

export interface ControlListener {
  /** Stops accepting and removes the socket; resolves when the last request has ended or was cut off after the grace period. */
  close(graceMs: number): Promise<void>
}

/** Requires the lock of the data folder: an existing socket then belongs to a server that was killed. */
export async function listenOnControlSocket(app: FastifyInstance, dataDir: string): Promise<ControlListener> {
  const connections = new Set<Socket>()
  // An HTTP server expects half-open connections: a client may end its side after the request.
  const server = createServer({ allowHalfOpen: true }, (connection) => {
    connections.add(connection)
    connection.once('close', () => connections.delete(connection))
    markLocal(connection)
    app.server.emit('connection', connection)
  })
  server.maxConnections = SERVER_LIMITS.connections
  rmSync(join(dataDir, CONTROL_SOCKET), { force: true })
  const location = openControlSocketPath(dataDir)
  try {
    await listenPrivately(server, location.path)
  } catch (error) {
    location[Symbol.dispose]()
    throw error
  }
  return {
    async close(graceMs) {
      // Node also removes the socket file, through the path it was created with.
      const closed = new Promise((resolve) => server.close(resolve))
      using _reaper = reapConnections(app, connections, graceMs, () => {
        for (const connection of connections) connection.destroy()
      })
      await closed
      location[Symbol.dispose]()
    },
  }
}

/** The file has mode 0600 from its creation. `listen` binds before it returns, so no other code runs under this umask. */
async function listenPrivately(server: Server, path: string): Promise<void> {
  const mask = process.umask(0o177)
  try {
    server.listen(path)
  } finally {
    process.umask(mask)
  }
  await once(server, 'listening')
}
