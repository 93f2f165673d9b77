/**
 * Follows the event stream across broken connections and server restarts.
 *
 * Not EventSource: that stops permanently when a proxy returns 502 while the server restarts.
 */
import { ApiError, send } from './request.ts'
import { parseServerSentEvents } from './server-sent-events.ts'

export type StreamState = 'connecting' | 'open' | 'waiting'

export interface StreamHandlers {
  readonly onState: (state: StreamState) => void
  readonly onEvent: (text: string) => void
  /** The request itself was refused; a retry cannot succeed. Nothing is called after this. */
  readonly onRefused: (error: ApiError) => void
}

const RETRY_MS = { first: 500, max: 10_000 } as const
/** The server sends at least a comment every 15 s, so a longer silence means a dead connection. */
const SILENCE_MS = 40_000

const REFUSALS: readonly number[] = [400, 401, 403]

/** Runs until the signal is aborted. Each reconnect sends Last-Event-ID, so no event is missed. */
export async function followStream(url: string, handlers: StreamHandlers, signal: AbortSignal): Promise<void> {
  let lastId: string | undefined
  let retryMs: number = RETRY_MS.first
  while (!signal.aborted) {
    handlers.onState('connecting')
    let askedMs = 0
    try {
      for await (const { id, event, data } of connect(url, lastId, signal, handlers)) {
        lastId = id ?? lastId
        retryMs = RETRY_MS.first
        if (event === 'log') handlers.onEvent(data)
      }
    } catch (error) {
      if (error instanceof ApiError && REFUSALS.includes(error.status)) return handlers.onRefused(error)
      // Any other failure may be temporary: reconnect.
      if (error instanceof ApiError) askedMs = error.retryAfterMs ?? 0
    }
    if (signal.aborted) return
    handlers.onState('waiting')
    const wake = AbortSignal.any([signal, AbortSignal.timeout(Math.max(retryMs, askedMs))])
    await new Promise((resolve) => wake.addEventListener('abort', resolve))
    retryMs = Math.min(retryMs * 2, RETRY_MS.max)
  }
}

async function* connect(url: string, lastId: string | undefined, signal: AbortSignal, handlers: StreamHandlers) {
  const silence = new AbortController()
  let timer = setTimeout(() => silence.abort(), SILENCE_MS)
  try {
    const response = await send(url, {
      headers: { accept: 'text/event-stream', ...(lastId !== undefined && { 'last-event-id': lastId }) },
      signal: AbortSignal.any([signal, silence.signal]),
    })
    if (!response.body) return
    handlers.onState('open')
    const watched = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        clearTimeout(timer)
        timer = setTimeout(() => silence.abort(), SILENCE_MS)
        controller.enqueue(chunk)
      },
    })
    yield* parseServerSentEvents(response.body.pipeThrough(watched))
  } finally {
    clearTimeout(timer)
  }
}
