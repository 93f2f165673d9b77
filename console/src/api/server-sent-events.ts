/** Parser for server-sent events (WHATWG HTML, section 9.2.6). */

export interface ServerSentEvent {
  /** Position to resume after this event; undefined if the stream has sent none. */
  readonly id: string | undefined
  readonly event: string
  readonly data: string
}

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
        const [field, text] = splitField(line)
        if (field === 'data') data.push(text)
        else if (field === 'event') event = text
        else if (field === 'id' && !text.includes('\0')) id = text
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

function splitField(line: string): readonly [string, string] {
  const colon = line.indexOf(':')
  if (colon === -1) return [line, '']
  const text = line.slice(colon + 1)
  return [line.slice(0, colon), text.startsWith(' ') ? text.slice(1) : text]
}
