/** A client of an Envelog server, for Node and browsers. */
import { ConnectionError, EnvelogError, errorOf } from './errors.ts'
import { type Calls, type EmailLogEvent, OPERATIONS } from './operations.ts'
import { type RetryOptions, sleep, waitBefore } from './retries.ts'
import { readEvents } from './server-sent-events.ts'

export interface ClientOptions {
  /** Such as https://envelog.example.com */
  readonly url: string
  readonly key: string
  readonly retries?: RetryOptions
  /** Default: the platform's own. */
  readonly fetch?: typeof fetch
}

export type OperationId = keyof Calls & keyof typeof OPERATIONS

/** Path, query and body of a call, where the operation has them. */
export type Input<Id extends OperationId> = Omit<Calls[Id], 'returns'> & { readonly signal?: AbortSignal }
type Arguments<Id extends OperationId> =
  Record<never, never> extends Omit<Calls[Id], 'returns'> ? [input?: Input<Id>] : [input: Input<Id>]

/** Operations that return a page with `next`, which is sent as `cursor` of the next one. */
type PagedId = {
  [Id in OperationId]: Calls[Id] extends {
    readonly query?: { readonly cursor?: infer Cursor }
    readonly returns: { readonly next: infer Next }
  }
    ? Next extends Cursor | null
      ? Id
      : never
    : never
}[OperationId]

export interface StreamedEvent {
  readonly event: EmailLogEvent
  /** Where to continue: `after` of a later stream. */
  readonly position: string
}

type QueryValue = string | number | boolean

interface AnyInput {
  readonly path?: Readonly<Record<string, string | number>>
  readonly query?: Readonly<Record<string, QueryValue | readonly QueryValue[] | undefined>>
  readonly body?: unknown
  readonly signal?: AbortSignal
}

export class EnvelogClient {
  readonly #options: ClientOptions
  readonly #url: string

  constructor(options: ClientOptions) {
    this.#options = options
    this.#url = options.url.replace(/\/+$/, '')
  }

  /**
   * Calls an operation, by its name in the OpenAPI documents. Tried again after errors that pass, as far as it does no harm: an event
   * that is sent twice is stored once, but a key that is created twice is two keys. Throws EnvelogError or ConnectionError.
   */
  async call<Id extends OperationId>(id: Id, ...[input]: Arguments<Id>): Promise<Calls[Id]['returns']> {
    const response = await this.#request(id, (input ?? {}) as AnyInput)
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false
    const value: unknown = isJson ? await readJson(response) : response.status === 204 ? undefined : response
    return value as Calls[Id]['returns']
  }

  /** Page after page. */
  async *pages<Id extends PagedId>(id: Id, ...[input]: Arguments<Id>): AsyncGenerator<Calls[Id]['returns']> {
    let { query, ...rest } = (input ?? {}) as AnyInput
    for (;;) {
      const page = (await this.call(id, { ...rest, query } as never)) as Calls[Id]['returns'] & { next: string | null }
      yield page
      if (page.next === null) return
      // The cursor contains the filters.
      query = { cursor: page.next, ...(query?.['limit'] !== undefined && { limit: query['limit'] }) }
    }
  }

  /** All events that a search finds, newest first. */
  async *events(input?: Input<'searchEvents'>): AsyncGenerator<EmailLogEvent> {
    for await (const { events } of this.pages('searchEvents', input)) yield* events
  }

  /**
   * Events as they are stored. A connection that breaks is opened again where it ended, so each event comes once; the generator
   * ends when the caller stops, or with an error that does not pass.
   */
  async *stream(input: Input<'streamEvents'> & { readonly after?: string } = {}): AsyncGenerator<StreamedEvent> {
    const { after, query, ...rest } = input
    let position = after
    let failures = 0
    for (;;) {
      try {
        const asked = { ...query, ...(position !== undefined && { last_event_id: position }) }
        const { body } = await this.#send('streamEvents', { ...rest, query: asked })
        if (!body) return
        for await (const { name, id, data } of readEvents(body)) {
          failures = 0
          position = id ?? position
          if (name === 'log' && position !== undefined) {
            yield { event: JSON.parse(data) as EmailLogEvent, position }
          }
        }
        // The server closes a stream when it restarts.
      } catch (error) {
        input.signal?.throwIfAborted()
        const waitMs = waitBefore(++failures, wrapBroken(error), this.#options.retries ?? {})
        if (waitMs === undefined) throw error
        await sleep(waitMs, input.signal)
      }
    }
  }

  async #request(id: OperationId, input: AnyInput): Promise<Response> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#send(id, input)
      } catch (error) {
        input.signal?.throwIfAborted()
        const waitMs = mayRepeat(id, error) ? waitBefore(attempt, error, this.#options.retries ?? {}) : undefined
        if (waitMs === undefined) throw error
        await sleep(waitMs, input.signal)
      }
    }
  }

  async #send(id: OperationId, input: AnyInput): Promise<Response> {
    const { method, path, isBodyJson } = OPERATIONS[id]
    const { fetch: send = fetch, key } = this.#options
    const headers: Record<string, string> = { authorization: key }
    if (input.body !== undefined) headers['content-type'] = isBodyJson ? 'application/json' : 'application/octet-stream'
    const body =
      isBodyJson && input.body !== undefined
        ? JSON.stringify(input.body)
        : (input.body as string | Uint8Array<ArrayBuffer> | undefined)
    const url = `${this.#url}${fillPath(path, input.path)}${queryText(input.query)}`
    const response = await send(url, {
      method,
      headers,
      ...(body !== undefined && { body }),
      ...(input.signal && { signal: input.signal }),
    }).catch((error: unknown) => {
      throw new ConnectionError(`${this.#url} could not be reached.`, { cause: error })
    })
    if (!response.ok) throw await errorOf(response)
    return response
  }
}

/** 429 means that nothing was done. Everything else leaves that open. */
function mayRepeat(id: OperationId, error: unknown): boolean {
  const isHarmless = OPERATIONS[id].method === 'GET' || id.startsWith('ingest')
  return isHarmless || (error instanceof EnvelogError && error.status === 429)
}

function fillPath(path: string, values: AnyInput['path'] = {}): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name] ?? '')))
}

/** A list becomes a parameter that is repeated. */
function queryText(query: AnyInput['query'] = {}): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    for (const each of [value].flat()) if (each !== undefined) parameters.append(name, String(each))
  }
  return parameters.size === 0 ? '' : `?${parameters}`
}

async function readJson(response: Response): Promise<unknown> {
  try {
    return await response.json()
  } catch (error) {
    throw new ConnectionError('The response ended before it was complete.', { cause: error })
  }
}

/** Reading a broken stream fails with an error of the platform. */
function wrapBroken(error: unknown): unknown {
  return error instanceof EnvelogError || error instanceof ConnectionError
    ? error
    : new ConnectionError('', { cause: error })
}
