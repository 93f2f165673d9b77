/** Reads a body of the type text/event-stream. */

export interface ServerSentEvent {
  /** `message` unless the server names it. */
  readonly name: string
  readonly id: string | undefined
  readonly data: string
}

/** Longer lines than any event has. */
const LINE_MAX = 4_000_000

export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  let name = 'message'
  let id: string | undefined
  let data: string[] = []
  for await (const line of readLines(body)) {
    if (line === '') {
      if (data.length > 0 || id !== undefined) yield { name, id, data: data.join('\n') }
      name = 'message'
      id = undefined
      data = []
      continue
    }
    const colon = line.indexOf(':')
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (field === 'data') data.push(value)
    else if (field === 'event') name = value
    else if (field === 'id') id = value
  }
}

async function* readLines(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const parts = (rest + decoder.decode(value, { stream: true })).split('\n')
      rest = parts.pop() ?? ''
      if (rest.length > LINE_MAX) throw new Error('a line of the stream is too long')
      for (const part of parts) yield part.endsWith('\r') ? part.slice(0, -1) : part
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
