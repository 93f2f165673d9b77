/** The format of server-sent events (WHATWG HTML, section 9.2.6), read off a stream of bytes. */

export interface ServerSentEvent {
  /** Where to go on after this one; undefined where it does not say. */
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
      // What does not end with an empty line has not arrived whole: it comes again.
      if (done) return
      const lines = (rest + value).split('\n')
      rest = lines.pop() ?? ''
      for (const written of lines) {
        const line = written.endsWith('\r') ? written.slice(0, -1) : written
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
