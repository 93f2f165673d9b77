/** Sends one request after the other, and keeps each answer as a line in which random values are replaced. */
import { createHash } from 'node:crypto'
import type { Line } from './compare.ts'
import { type Answer, type Request, send, sendBytes } from './exchange.ts'
import { metricNames, type Normalizer } from './normalizer.ts'
import type { RouteTable } from './openapi.ts'
import { parseTable } from './request-table.ts'
import type { Keys } from './scene.ts'

export interface AskOptions {
  readonly headers?: Readonly<Record<string, string>>
  /** Anything but text and bytes is sent as JSON. */
  readonly body?: unknown
  /** Distinguishes requests with the same request line. */
  readonly note?: string | undefined
  /** Called before the answer is kept, to name the random values in it. */
  readonly learn?: (answer: Answer) => void
  /** Keep only these frames of a stream of server-sent events. */
  readonly frames?: number
}

const FRAME_START = '\n\nevent: '

export class Recorder {
  readonly lines: Line[] = []
  /** Of the server that is asked; may be changed. */
  address: string
  readonly #keys: Keys
  readonly #normalizer: Normalizer
  readonly #names = new Map<string, number>()
  readonly #routes: RouteTable

  constructor(address: string, keys: Keys, routes: RouteTable, normalizer: Normalizer) {
    this.address = address
    this.#keys = keys
    this.#routes = routes
    this.#normalizer = normalizer
  }

  /** `target` is such as `GET /webhooks/acme.test?limit=1`, `caller` the name of a key. */
  async ask(caller: string, target: string, options: AskOptions = {}): Promise<Answer> {
    const { frames = Number.POSITIVE_INFINITY, note, learn } = options
    const request = this.#toRequest(caller, target, options)
    const answer = await send(this.address, request, (received) => received.split(FRAME_START).length > frames)
    learn?.(answer)
    const body = Number.isFinite(frames) ? firstFrames(answer.body, frames) : answer.body
    this.#keep(caller, request, { ...answer, body }, note)
    return answer
  }

  async askJson<T>(caller: string, target: string): Promise<T> {
    return JSON.parse((await this.ask(caller, target)).body.toString()) as T
  }

  async askTable(table: string): Promise<void> {
    for (const { caller, target, follow } of parseTable(table)) {
      if (follow) await this.#follow(caller, target, follow)
      else await this.ask(caller, target)
    }
  }

  async #follow(caller: string, first: string, { pages, more }: { readonly pages: number; readonly more: string }) {
    const [path = ''] = first.split('?')
    let target: string | undefined = first
    for (let page = 0; page < pages && target !== undefined; page++) {
      const cursor = findCursor(await this.ask(caller, target))
      target = cursor && `${path}?${cursor}${more}`
    }
  }

  async askBytes(note: string, bytes: string): Promise<void> {
    const request = { method: 'BYTES', path: '', headers: {}, body: undefined }
    this.#keep('nobody', request, await sendBytes(this.address, bytes), note)
  }

  /** The answer is not kept. */
  peek(caller: string, target: string): Promise<Answer> {
    return send(this.address, this.#toRequest(caller, target, {}))
  }

  keepText(name: string, body: string): void {
    this.lines.push({ name, status: 0, headers: {}, body: this.#normalizer.text(body) })
  }

  #toRequest(caller: string, target: string, { headers, body }: AskOptions): Request {
    const [, method = '', path = ''] = /^(\S+) (.*)$/s.exec(target) ?? []
    const key = this.#keys[caller] ?? ''
    const authorization = key === '' ? {} : { authorization: key }
    return {
      method,
      path,
      headers: { host: 'envelog.test', 'x-request-id': 'recorded', ...authorization, ...headers },
      body: body === undefined ? undefined : toBytes(body),
    }
  }

  #keep(caller: string, { method, path }: Request, answer: Answer, note: string | undefined): void {
    this.#routes.note(method, path, answer.status)
    const asked = this.#normalizer.text(`${caller}: ${method} ${path}${note === undefined ? '' : ` (${note})`}`)
    const count = (this.#names.get(asked) ?? 0) + 1
    this.#names.set(asked, count)
    const headers = this.#normalizer.headers(answer.headers)
    this.lines.push({
      name: count === 1 ? asked : `${asked} #${count}`,
      status: answer.status,
      headers,
      body: this.#bodyText(path, headers, answer.body),
    })
  }

  #bodyText(path: string, headers: Readonly<Record<string, string>>, body: Buffer): string {
    const { 'content-type': type = '', 'content-encoding': coding } = headers
    // The console's files are built from its source, not written by the server.
    if (path.startsWith('/assets/') && !type.startsWith('application/json')) return '<file of the console>'
    if (path === '/metrics') return metricNames(body.toString())
    if (coding !== undefined || type.startsWith('text/javascript')) {
      return `<${createHash('sha256').update(body).digest('hex')}>`
    }
    if (type.startsWith('image/')) return body.toString('base64')
    return this.#normalizer.text(body.toString())
  }
}

function toBytes(body: unknown): Buffer {
  if (Buffer.isBuffer(body)) return body
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
}

function firstFrames(body: Buffer, frames: number): Buffer {
  const parts = body.toString().split(FRAME_START)
  return Buffer.from(parts.slice(0, frames + 1).join(FRAME_START))
}

/** As the query of the next page. */
function findCursor({ body }: Answer): string | undefined {
  const { next_token: token, next } = JSON.parse(body.toString()) as { next_token?: string; next?: string | null }
  if (token !== undefined) return `next_token=${token}`
  return next ? `cursor=${next}` : undefined
}
