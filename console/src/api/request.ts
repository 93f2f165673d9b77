/** Requests to the server: JSON in and out, refusals as ApiError, the CSRF token on every request that changes something. */

/** An answer other than 2xx, with the server's message; `status` is 0 if the server could not be reached. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  /** How long the server asks to wait. */
  readonly retryAfterMs: number | undefined

  constructor(status: number, message: string, retryAfterMs?: number) {
    super(message)
    this.status = status
    this.retryAfterMs = retryAfterMs
  }
}

export const NO_CONNECTION =
  'No connection to the server: it is restarting, or the network is down. Nothing was lost. Try again in a moment.'

/** Event of the window: a request has succeeded after others could not reach the server. */
export const RECONNECTED = 'envelog:reconnected'

/** What a proxy answers while the server restarts. */
const UNREACHABLE: readonly number[] = [502, 503, 504]

let isDisconnected = false

/** In memory only: after a reload, GET /v1/session returns it again. */
let csrfToken: string | undefined

export function setCsrfToken(token: string | undefined): void {
  csrfToken = token
}

interface RequestOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly body?: unknown
  readonly signal?: AbortSignal
}

export async function request<T>(path: string, { method = 'GET', body, signal }: RequestOptions = {}): Promise<T> {
  const response = await send(path, {
    method,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(method !== 'GET' && csrfToken !== undefined && { 'x-csrf-token': csrfToken }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  })
  if (response.status === 204) return undefined as T
  return (await response.json()) as T
}

/** Throws ApiError for every status other than 2xx. */
export async function send(path: string, init: RequestInit): Promise<Response> {
  const response = await fetch(path, { ...init, credentials: 'same-origin' }).catch((error: unknown) => {
    if (init.signal?.aborted) throw error
    isDisconnected = true
    throw new ApiError(0, NO_CONNECTION)
  })
  if (response.ok && isDisconnected) window.dispatchEvent(new Event(RECONNECTED))
  isDisconnected = UNREACHABLE.includes(response.status)
  if (response.ok) return response
  const body = await response.json().catch(() => undefined)
  const message = hasMessage(body) ? body.message : `The server returned ${response.status}.`
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  throw new ApiError(response.status, message, seconds >= 0 ? seconds * 1000 : undefined)
}

function hasMessage(value: unknown): value is { readonly message: string } {
  return typeof value === 'object' && value !== null && 'message' in value && typeof value.message === 'string'
}
