/** Graceful shutdown: requests in flight are completed, idle connections do not delay it, stuck ones are cut off. */
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

const IDLE_CHECK_MS = 50

export interface Closing {
  readonly hasBegun: boolean
}

/**
 * `server.close` closes only the connections that are idle at that moment. A busy one stays open after its response until its
 * keep-alive timeout, so idle connections are closed repeatedly until the server is closed. A closing server also stops
 * enforcing request timeouts; the grace period replaces them.
 */
export function closeGracefully(app: FastifyInstance, graceMs: number): Closing {
  const closing = { hasBegun: false }
  const unused = trackUnusedConnections(app)
  app.addHook('preClose', async () => {
    closing.hasBegun = true
    // Not immediately: a connection may already have sent a request that is still unread.
    const reaper = setInterval(() => {
      app.server.closeIdleConnections()
      for (const socket of unused) if (socket.bytesRead === 0) socket.destroy()
    }, IDLE_CHECK_MS)
    const deadline = setTimeout(() => app.server.closeAllConnections(), graceMs)
    reaper.unref()
    deadline.unref()
    app.server.once('close', () => {
      clearInterval(reaper)
      clearTimeout(deadline)
    })
  })
  return closing
}

/** Connections without a request yet: proxies and browsers open some in advance, and Node considers them busy. */
function trackUnusedConnections(app: FastifyInstance): ReadonlySet<Socket> {
  const unused = new Set<Socket>()
  app.server.on('connection', (socket) => {
    unused.add(socket)
    socket.once('close', () => unused.delete(socket))
  })
  app.server.on('request', ({ socket }) => void unused.delete(socket))
  return unused
}
