/** A server that says it is ClickHouse, as the real one does with every response. What it answers is up to the test. */
import { createServer, type RequestListener, type Server } from 'node:http'

export function createClickHouseServer(listener: RequestListener): Server {
  return createServer((request, response) => {
    response.setHeader('X-ClickHouse-Server-Display-Name', 'test')
    return listener(request, response)
  })
}
