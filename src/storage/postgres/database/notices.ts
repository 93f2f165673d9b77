/** Notices between the servers of an installation, by LISTEN and NOTIFY. They may get lost, so no listener may rely on them alone. */
import { randomUUID } from 'node:crypto'
import type { Notification } from 'pg'
import type { Postgres } from './postgres.ts'

const DEFAULT_CHANNEL = 'envelog'
const RECONNECT_MS = 1000

export interface NoticesOptions {
  readonly channel?: string
  /** Called for each notice of another server. */
  readonly onNotice: (text: string) => void
  /** Called when notices may have been lost, and when they arrive again. */
  readonly onGap: () => void
}

export class Notices {
  readonly #db: Postgres
  readonly #options: NoticesOptions
  readonly #channel: string
  /** Marks our own notices. */
  readonly #self = randomUUID()
  #stop: (() => void) | undefined
  #retry: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(db: Postgres, options: NoticesOptions) {
    this.#db = db
    this.#options = options
    this.#channel = options.channel ?? DEFAULT_CHANNEL
  }

  /** Resolves when notices are received, or will be as soon as PostgreSQL can be reached. */
  async open(): Promise<void> {
    if (this.#isClosed) return
    try {
      const stop = await this.#db.listen(this.#channel, {
        onNotice: (notice) => this.#receive(notice),
        onEnd: () => this.#lose(),
      })
      if (this.#isClosed) {
        stop()
        return
      }
      this.#stop = stop
      this.#options.onGap()
    } catch {
      this.#lose()
    }
  }

  /** For notices that a transaction sends: marks them as ours. */
  sign(text: string): string {
    return `${this.#self} ${text}`
  }

  /** The write does not wait for it: if it is lost, what the other servers keep expires. */
  send(text: string): void {
    if (this.#isClosed) return
    this.#db.run('SELECT pg_notify($1, $2)', this.#channel, this.sign(text)).catch(() => undefined)
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#retry)
    this.#stop?.()
  }

  #receive({ payload = '' }: Notification): void {
    const [sender, ...words] = payload.split(' ')
    if (sender !== this.#self) this.#options.onNotice(words.join(' '))
  }

  #lose(): void {
    this.#stop = undefined
    clearTimeout(this.#retry)
    this.#options.onGap()
    if (!this.#isClosed) this.#retry = setTimeout(() => void this.open(), RECONNECT_MS).unref()
  }
}
