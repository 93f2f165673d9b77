/** Ending well: requests in flight are answered, idle connections do not delay the end, stuck ones are cut off. */
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

const IDLE_CHECK_MS = 50

export interface Closing {
  readonly hasBegun: boolean
}

/**
 * Closing the server reaps the connections that are idle at that moment only. One that is busy then stays open after its
 * answer until its keep-alive time is over, so idle ones are looked for until the server is closed. The server also stops
 * to enforce its request timeouts when it closes; the grace period takes their place.
 */
export function closeGracefully(app: FastifyInstance, graceMs: number): Closing {
  const closing = { hasBegun: false }
  const unused = trackUnusedConnections(app)
  app.addHook('preClose', async () => {
    closing.hasBegun = true
    // Not at once: what a connection has sent already may still be unread.
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

/** Connections before their first request: proxies and browsers open some in advance, and Node takes them for busy. */
function trackUnusedConnections(app: FastifyInstance): ReadonlySet<Socket> {
  const unused = new Set<Socket>()
  app.server.on('connection', (socket) => {
    unused.add(socket)
    socket.once('close', () => unused.delete(socket))
  })
  app.server.on('request', ({ socket }) => void unused.delete(socket))
  return unused
}
