/** Sends a request over HTTP, to an address or through a Unix socket, which the global fetch cannot. */
import { type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { Answer, Request } from './exchange.ts'

export type Target = Pick<RequestOptions, 'protocol' | 'host' | 'port' | 'socketPath' | 'agent'>

/** Rejects with the system's error if there is no connection, or if it breaks before the answer. */
export function exchangeHttp({ method, path, headers, body, signal }: Request, target: Target): Promise<Answer> {
  const send = target.protocol === 'https:' ? requestHttps : requestHttp
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const options = { ...target, method, path, headers: { ...headers, 'content-length': body?.length ?? 0 } }
  const outgoing = send({ ...options, ...(signal && { signal }) })
  // Stays attached after the answer has begun: by then the reader of the body gets the errors, and this does nothing.
  outgoing.on('error', reject)
  outgoing.once('response', (incoming: IncomingMessage) =>
    resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: incoming }),
  )
  outgoing.end(body)
  return promise
}
