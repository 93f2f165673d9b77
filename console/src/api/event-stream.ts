/**
 * Events as they arrive, over connections that break and servers that restart.
 *
 * Not the browser's EventSource: that one gives up for good when a proxy answers 502 while the server restarts.
 */
import { ApiError, send } from './request.ts'
import { parseServerSentEvents } from './server-sent-events.ts'

export type StreamState = 'connecting' | 'open' | 'waiting'

export interface StreamHandlers {
  readonly onState: (state: StreamState) => void
  readonly onEvent: (text: string) => void
  /** The server will not have it, now or later. Nothing more comes. */
  readonly onRefused: (error: ApiError) => void
}

const WAIT_MS = { first: 500, most: 10_000 } as const
/** The server says something at least every 15 s; who has heard nothing for so long has no connection. */
const SILENCE_MS = 40_000

const REFUSALS: readonly number[] = [400, 401, 403]

/** Goes on until the signal is aborted. Each time it connects it says where it left off, so nothing is missed. */
export async function followStream(url: string, handlers: StreamHandlers, signal: AbortSignal): Promise<void> {
  let lastId: string | undefined
  let waitMs: number = WAIT_MS.first
  while (!signal.aborted) {
    handlers.onState('connecting')
    try {
      for await (const { id, event, data } of connect(url, lastId, signal, handlers)) {
        lastId = id ?? lastId
        waitMs = WAIT_MS.first
        if (event === 'log') handlers.onEvent(data)
      }
    } catch (error) {
      if (error instanceof ApiError && REFUSALS.includes(error.status)) return handlers.onRefused(error)
      // Whatever else it was, the next attempt shows whether it is over.
    }
    if (signal.aborted) return
    handlers.onState('waiting')
    await wait(waitMs, signal)
    waitMs = Math.min(waitMs * 2, WAIT_MS.most)
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
    const heard = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        clearTimeout(timer)
        timer = setTimeout(() => silence.abort(), SILENCE_MS)
        controller.enqueue(chunk)
      },
    })
    yield* parseServerSentEvents(response.body.pipeThrough(heard))
  } finally {
    clearTimeout(timer)
  }
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
