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
    // A server that never listened has no connections, and emits no `close` that would end the timers.
    if (!app.server.listening) return
    const reaper = reapConnections(app, unused, graceMs, () => app.server.closeAllConnections())
    app.server.once('close', () => reaper[Symbol.dispose]())
  })
  return closing
}

/** Closes idle connections and those of `connections` without a request, and calls `cutOff` after the grace period. */
export function reapConnections(
  app: FastifyInstance,
  connections: ReadonlySet<Socket>,
  graceMs: number,
  cutOff: () => void,
): Disposable {
  // Not immediately: a connection may already have sent a request that is still unread.
  const reaper = setInterval(() => {
    app.server.closeIdleConnections()
    for (const socket of connections) if (socket.bytesRead === 0) socket.destroy()
  }, IDLE_CHECK_MS).unref()
  const deadline = setTimeout(cutOff, graceMs).unref()
  return {
    [Symbol.dispose]() {
      clearInterval(reaper)
      clearTimeout(deadline)
    },
  }
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
