/** Asking the server: JSON in and out, refusals as ApiError, the session's token on everything that changes something. */

/** What the server refused, in its own words; `status` 0 where it could not be reached at all. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  /** Seconds to wait, where the server says so. */
  readonly retryAfterSeconds: number | undefined

  constructor(status: number, message: string, retryAfterSeconds?: number) {
    super(message)
    this.status = status
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** Kept in memory alone: a page that is loaded again asks for its session again. */
let csrfToken: string | undefined

export function setCsrfToken(token: string | undefined): void {
  csrfToken = token
}

interface RequestOptions {
  readonly method?: 'GET' | 'POST' | 'DELETE'
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

/** Throws ApiError for every answer but 2xx. */
export async function send(path: string, init: RequestInit): Promise<Response> {
  const response = await fetch(path, { ...init, credentials: 'same-origin' }).catch((error: unknown) => {
    if (init.signal?.aborted) throw error
    throw new ApiError(0, 'The server could not be reached. Nothing was lost; try again in a moment.')
  })
  if (response.ok) return response
  throw await refusal(response)
}

async function refusal(response: Response): Promise<ApiError> {
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN)
  const words = await response.json().catch(() => undefined)
  return new ApiError(
    response.status,
    hasMessage(words) ? words.message : `The server answered ${response.status}.`,
    Number.isFinite(retryAfter) ? retryAfter : undefined,
  )
}

function hasMessage(value: unknown): value is { readonly message: string } {
  return typeof value === 'object' && value !== null && 'message' in value && typeof value.message === 'string'
}
