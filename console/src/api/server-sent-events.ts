/** Parser for server-sent events (WHATWG HTML, section 9.2.6). */

export interface ServerSentEvent {
  /** Position to resume after this event; undefined if the stream has sent none. */
  readonly id: string | undefined
  readonly event: string
  readonly data: string
}

/** A name, and after a colon and at most one space, a value. */
const FIELD = /^([^:]*)(?:: ?(.*))?$/s

export async function* parseServerSentEvents(bytes: ReadableStream<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  let rest = ''
  let id: string | undefined
  let event = ''
  let data: string[] = []
  const reader = bytes.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      // An event without its closing empty line is incomplete; the server sends it again after a reconnect.
      if (done) return
      const lines = (rest + value).split('\n')
      rest = lines.pop() ?? ''
      for (const rawLine of lines) {
        const line = rawLine.endsWith('\r') ? rawLine.slice(0, -1) : rawLine
        if (line === '') {
          if (data.length > 0) yield { id, event: event || 'message', data: data.join('\n') }
          ;[event, data] = ['', []]
          continue
        }
        const [, field, text = ''] = FIELD.exec(line) ?? []
        if (field === 'data') data.push(text)
        else if (field === 'event') event = text
        else if (field === 'id' && !text.includes('\0')) id = text
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
