/** One request and its answer, whichever way they travel. */
import type { IncomingHttpHeaders } from 'node:http'
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
