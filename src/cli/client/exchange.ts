/** One request and its answer, whichever way they travel. */
import type { IncomingHttpHeaders, IncomingMessage, RequestOptions } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { Readable } from 'node:stream'
import { request as requestHttp } from '../../lib/net/node-http.ts'

export interface Request {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** With its query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array
  readonly signal?: AbortSignal
  /** Sending it twice does no harm. */
  readonly isRepeatable: boolean
  /** It may be the first request ever: an empty folder becomes a data folder. */
  readonly mayCreate: boolean
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Readable
}

export interface Transport extends AsyncDisposable {
  /** For messages: who answers. */
  readonly name: string
  /** Compression pays. */
  readonly isRemote: boolean
  /** Rejects with AppError, `storage_unavailable` if the same request may succeed later. */
  send(request: Request): Promise<Answer>
  /** Releases the data folder until the next request. */
  release(): Promise<void>
}

type Target = Pick<RequestOptions, 'protocol' | 'host' | 'port' | 'socketPath' | 'agent'>

/**
 * Sends a request over HTTP, to an address or through a Unix socket, which the global fetch does not support. Rejects with
 * the system's error if the connection fails, or is lost before the response.
 */
export function exchangeHttp({ method, path, headers, body, signal }: Request, target: Target): Promise<Answer> {
  const send = target.protocol === 'https:' ? requestHttps : requestHttp
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const options = { ...target, method, path, headers: { ...headers, 'content-length': body?.length ?? 0 } }
  const outgoing = send({ ...options, ...(signal && { signal }) })
  // Stays attached after the response has begun: the reader of the body then gets the errors, and this has no effect.
  outgoing.on('error', reject)
  outgoing.once('response', (incoming: IncomingMessage) =>
    resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: incoming }),
  )
  outgoing.end(body)
  return promise
}
