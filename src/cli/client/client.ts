/** Sends requests to a server, or to the app in this process that replaces it, and turns the responses into values and refusals. */
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { zstdCompress } from 'node:zlib'
import { AppError, type ErrorCode } from '../../lib/app-error.ts'
import type { Answer, Request, Transport } from './exchange.ts'
import { toNdjson } from './ndjson-body.ts'

type Query = Readonly<Record<string, string | number | boolean | readonly (string | number)[] | undefined>>

export interface RequestOptions {
  readonly query?: Query
  readonly body?: object
  /** The message if what the path names does not exist. */
  readonly ifMissing?: string
  /** It may be the first request ever: an empty folder becomes a data folder. */
  readonly mayCreate?: boolean
}

interface WorkOptions extends RequestOptions {
  /** Called with each line but the last, when the next one arrives. */
  readonly onProgress?: (progress: unknown) => void
}

export interface IngestAnswer {
  readonly stored: number
  readonly duplicates: number
  /** By the position of the record in what was sent. */
  readonly rejected: readonly { readonly index: number; readonly error: string }[]
  /** Absent if there are none. */
  readonly skipped?: number
}

/** Error codes by status; the message has the details. */
const CODES: Readonly<Record<number, ErrorCode>> = {
  400: 'invalid_request',
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
  413: 'payload_too_large',
  415: 'unsupported_encoding',
  429: 'rate_limited',
}

/** The message of a server that has no such route. */
const NO_ROUTE = 'Not found'
/** For sending records over a network that may fail silently. */
const REMOTE_TIMEOUT_MS = 60_000
/** Rate limits are waited for. A longer wait, such as for a quota, is reported as a failure. */
const WAIT_SECONDS_MAX = 60

const compress = promisify(zstdCompress)

export class Client implements AsyncDisposable {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Throws AppError with the server's message. */
  async request<T>(method: Request['method'], path: string, options: RequestOptions = {}): Promise<T> {
    return (await this.#readResult(await this.#send(method, path, options), options.ifMissing)) as T
  }

  /** The body of a response that may be large. Read it to its end or destroy it. */
  async download(path: string, options: RequestOptions = {}): Promise<Readable> {
    const answer = await this.#send('GET', path, options)
    if (!isSuccess(answer)) await this.#readResult(answer)
    return answer.body
  }

  /** The result of a long job: the last line of the response, which is streamed while the job runs. */
  async work<T>(path: string, options: WorkOptions = {}): Promise<T> {
    const answer = await this.#send('POST', path, options)
    if (!isSuccess(answer)) await this.#readResult(answer)
    let last: unknown
    for await (const line of createInterface({ input: answer.body })) {
      // Empty lines keep the connection alive while there is nothing to report.
      if (line === '') continue
      if (last !== undefined) options.onProgress?.(last)
      last = this.#parse(line, answer.status)
    }
    if (isFailure(last)) throw this.#refusal(last.error, last)
    if (last !== undefined) return last as T
    throw new AppError('storage_unavailable', 'The server closed the connection before its answer was complete')
  }

  /** Resolves when all records are durable or in quarantine. Repeating it is safe. */
  async ingest(connector: string, records: readonly Buffer[], signal?: AbortSignal): Promise<IngestAnswer> {
    const { isRemote, name } = this.#transport
    const { body, indexOf } = toNdjson(records)
    const sent = isRemote ? await compress(body) : body
    const path = `/ingest/${connector === 'native' ? 'events' : connector}`
    const answer = await this.#sendPatiently(signal, () => ({
      method: 'POST',
      path,
      headers: isRemote ? { 'content-encoding': 'zstd' } : {},
      body: sent,
      signal: AbortSignal.any([
        ...(signal ? [signal] : []),
        ...(isRemote ? [AbortSignal.timeout(REMOTE_TIMEOUT_MS)] : []),
      ]),
      isRepeatable: true,
      mayCreate: true,
    }))
    const result = await this.#readResult(answer).catch((error: unknown) => {
      if (!isRemote || !(error instanceof AppError)) throw error
      // A proxy, a wrong key, a server that starts or is full: all of them are temporary, or will be fixed.
      throw new AppError('storage_unavailable', `${name} answered ${answer.status}: ${error.message}`)
    })
    const { rejected, ...counts } = result as IngestAnswer
    return { ...counts, rejected: rejected.map(({ index, error }) => ({ index: indexOf(index), error })) }
  }

  /** Throws early if no request can succeed, such as for a data folder of another user. */
  async connect(): Promise<void> {
    if (this.#transport.isRemote) return
    const answer = await this.#send('GET', '/healthz', { mayCreate: true })
    answer.body.resume()
  }

  /** Releases the data folder until the next request. */
  release(): Promise<void> {
    return this.#transport.release()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#transport[Symbol.asyncDispose]()
  }

  #send(method: Request['method'], path: string, { query = {}, body, mayCreate = false }: RequestOptions) {
    return this.#transport.send({
      method,
      path: path + toSearch(query),
      headers: {},
      ...(body && { body: Buffer.from(JSON.stringify(body)) }),
      isRepeatable: method === 'GET',
      mayCreate,
    })
  }

  /** Waits and sends again while a rate limit is exceeded. */
  async #sendPatiently(signal: AbortSignal | undefined, toRequest: () => Request): Promise<Answer> {
    for (;;) {
      const answer = await this.#transport.send(toRequest())
      const waitSeconds = Number(answer.headers['retry-after'])
      if (answer.status !== 429 || !(waitSeconds <= WAIT_SECONDS_MAX)) return answer
      answer.body.resume()
      await delay(waitSeconds * 1000, undefined, { ...(signal && { signal }) }).catch(() => undefined)
    }
  }

  async #readResult({ status, body }: Answer, ifMissing?: string): Promise<unknown> {
    const received = await text(body).catch((error: unknown) => {
      throw new AppError(
        'storage_unavailable',
        `${this.#transport.name} closed the connection before its answer was complete`,
        { cause: error },
      )
    })
    const result = received === '' ? undefined : this.#parse(received, status)
    if (isSuccess({ status })) return result
    throw this.#refusal(status, result, ifMissing)
  }

  #parse(received: string, status: number): unknown {
    try {
      return JSON.parse(received)
    } catch {
      const { name } = this.#transport
      throw new AppError(
        'invalid_payload',
        `${name} did not answer with JSON (status ${status}): not an Envelog server?`,
      )
    }
  }

  #refusal(status: number, body: unknown, ifMissing?: string): AppError {
    const { name } = this.#transport
    const message = body instanceof Object && 'message' in body ? String(body.message) : `status ${status}`
    const code = CODES[status] ?? 'storage_unavailable'
    if (status === 401) return new AppError(code, `${name} refuses the key: ${message}`)
    if (status !== 404) return new AppError(code, message)
    if (message === NO_ROUTE) return new AppError(code, `${name} does not support this: it runs an older version.`)
    return new AppError(code, ifMissing ?? message)
  }
}

/** The last line of a stream whose work failed after it had begun. */
function isFailure(value: unknown): value is { readonly error: number } {
  return value instanceof Object && 'error' in value && typeof value.error === 'number'
}

function isSuccess({ status }: Pick<Answer, 'status'>): boolean {
  return status >= 200 && status < 300
}

function toSearch(query: Query): string {
  const search = new URLSearchParams()
  for (const [name, values] of Object.entries(query)) {
    for (const value of [values ?? []].flat()) search.append(name, String(value))
  }
  return search.size === 0 ? '' : `?${search.toString()}`
}
