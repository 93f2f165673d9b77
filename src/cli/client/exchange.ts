/** One request and its answer, whichever way they travel. */
import { type IncomingHttpHeaders, type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { Readable } from 'node:stream'

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
  /** Lets go of the data folder until the next request. */
  release(): Promise<void>
}

type Target = Pick<RequestOptions, 'protocol' | 'host' | 'port' | 'socketPath' | 'agent'>

/** Over HTTP, to an address or through a Unix socket, which the global fetch cannot. Rejects with the system's error if there is no connection, or if it breaks before the answer. */
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
