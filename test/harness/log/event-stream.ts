/** Reads server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html) as a program would. */
import type { EmailEvent } from '../../../src/events/event.ts'

export interface StreamFrame {
  readonly event: string
  readonly id: string
  readonly data: string
}

export class EventStream implements AsyncDisposable {
  readonly response: Response
  readonly #abort: AbortController
  readonly #frames: AsyncGenerator<StreamFrame>
  /** The Last-Event-ID that an EventSource would send when it reconnects. */
  lastEventId = ''

  private constructor(response: Response, abort: AbortController) {
    this.response = response
    this.#abort = abort
    this.#frames = this.#read()
  }

  static async open(url: string, headers: Readonly<Record<string, string>>): Promise<EventStream> {
    const abort = new AbortController()
    return new EventStream(await fetch(url, { headers, signal: abort.signal }), abort)
  }

  /** The next frame; undefined when the stream has ended. */
  async next(): Promise<StreamFrame | undefined> {
    const { value, done } = await this.#frames.next()
    if (done) return undefined
    this.lastEventId = value.id
    return value
  }

  /** The next `count` events of the log; frames that only carry a position are skipped. */
  async take(count: number): Promise<readonly EmailEvent[]> {
    const events: EmailEvent[] = []
    while (events.length < count) {
      const frame = await this.next()
      if (!frame) throw new Error(`the stream ended after ${events.length} of ${count} events`)
      if (frame.event === 'log') events.push(JSON.parse(frame.data) as EmailEvent)
    }
    return events
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#abort.abort()
    await this.#frames.return(undefined).catch(() => undefined)
  }

  async *#read(): AsyncGenerator<StreamFrame> {
    let text = ''
    const decoder = new TextDecoder()
    for await (const chunk of this.response.body ?? []) {
      text += decoder.decode(chunk, { stream: true })
      const blocks = text.split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) {
        const frame = { event: '', id: '', data: '' }
        for (const line of block.split('\n')) {
          const end = line.indexOf(': ')
          const field = line.slice(0, end)
          if (field === 'event' || field === 'id' || field === 'data') frame[field] = line.slice(end + 2)
        }
        if (frame.event !== '') yield frame
      }
    }
  }
}
