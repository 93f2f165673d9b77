/** A side that is asked over HTTP: one keep-alive connection, one request at a time. */
import { Client } from 'undici'
import type { Answer, PreparedQuestion, Question, Side } from './question.ts'

/** How questions become requests to a server. */
export interface Surface {
  path(question: Question, after?: string): string
  read(body: string): Answer
}

/** Longer than a round of the other side takes. */
const KEEP_ALIVE_MS = 600_000

export class HttpSide implements Side, AsyncDisposable {
  readonly #client: Client
  readonly #key: string
  readonly #surface: Surface

  constructor(address: string, key: string, surface: Surface) {
    this.#client = new Client(address, { keepAliveTimeout: KEEP_ALIVE_MS, keepAliveMaxTimeout: KEEP_ALIVE_MS })
    this.#key = key
    this.#surface = surface
  }

  prepare(question: Question, after?: string): PreparedQuestion<string> {
    const path = this.#surface.path(question, after)
    return { ask: () => this.#get(path), read: (body) => this.#surface.read(body) }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.destroy()
  }

  async #get(path: string): Promise<string> {
    const { statusCode, body } = await this.#client.request({
      method: 'GET',
      path,
      headers: { authorization: this.#key },
    })
    const text = await body.text()
    if (statusCode !== 200) throw new Error(`${path} was answered ${statusCode}: ${text.slice(0, 500)}`)
    return text
  }
}
