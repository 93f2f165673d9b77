/** The bare HTTP server under the framework, with the limits of server-limits.ts. */
import { createServer, type RequestListener, type Server } from 'node:http'
import { SERVER_LIMITS } from './server-limits.ts'

export function createHttpServer(handler: RequestListener): Server {
  const server = createServer(
    {
      maxHeaderSize: SERVER_LIMITS.headerBytes,
      headersTimeout: SERVER_LIMITS.headersTimeoutMs,
      requestTimeout: SERVER_LIMITS.requestTimeoutMs,
      connectionsCheckingInterval: SERVER_LIMITS.timeoutCheckMs,
      keepAliveTimeout: SERVER_LIMITS.keepAliveMs,
      // Node would refuse a request without Host with an empty body; the app sends our error body.
      requireHostHeader: false,
    },
    handler,
  )
  server.maxConnections = SERVER_LIMITS.connections
  return server
}
