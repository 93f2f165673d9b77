/** What a call can fail with. */

/** The server refused the request. */
export class EnvelogError extends Error {
  override readonly name: string = 'EnvelogError'
  /** The HTTP status. */
  readonly status: number
  /** The id of the request in the server's log, for questions to the operator. */
  readonly requestId: string | undefined
  /** How long the server wants the client to wait before it tries again. */
  readonly retryAfterSeconds: number | undefined

  constructor(message: string, response: Response) {
    super(message)
    this.status = response.status
    this.requestId = response.headers.get('x-request-id') ?? undefined
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
    this.retryAfterSeconds = Number.isFinite(seconds) ? seconds : undefined
  }

  /** The same request may succeed later: too many requests, or a server that cannot store or read at the moment. */
  get isTemporary(): boolean {
    return this.status === 429 || this.status === 503 || this.status === 502 || this.status === 504
  }
}

/** The server could not be reached, or the connection ended before the response was complete. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError'
}

export async function errorOf(response: Response): Promise<EnvelogError> {
  const text = await response.text().catch(() => '')
  try {
    const { message } = JSON.parse(text) as { message?: unknown }
    if (typeof message === 'string') return new EnvelogError(message, response)
  } catch {
    // Not from Envelog: a proxy, for example.
  }
  return new EnvelogError(`The server answered with status ${response.status}.`, response)
}
