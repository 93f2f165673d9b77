/** Asks a server, one request after the other, and keeps each answer as a line with what is volatile replaced. */
import { createHash } from 'node:crypto'
import { type Answer, Exchange, type Request } from './exchange.ts'
import type { Line } from './line.ts'
import { metricNames, type Normalizer } from './normalizer.ts'
import type { RouteTable } from './route-table.ts'
import type { Keys } from './scene.ts'

export interface AskOptions {
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
  /** Says what the request is about where its line does not. */
  readonly note?: string
  /** Given the body before it is kept, to name what is random in it. */
  readonly learn?: (body: string) => void
}

export class Recorder implements Disposable {
  readonly lines: Line[] = []
  readonly #keys: Keys
  readonly #normalizer: Normalizer
  readonly #names = new Map<string, number>()
  readonly #routes: RouteTable
  #exchange: Exchange

  constructor(port: number, keys: Keys, routes: RouteTable, normalizer: Normalizer) {
    this.#exchange = new Exchange(port)
    this.#keys = keys
    this.#routes = routes
    this.#normalizer = normalizer
  }

  /** The same installation on another port. */
  moveTo(port: number): void {
    this.#exchange[Symbol.dispose]()
    this.#exchange = new Exchange(port)
  }

  /** `target` is such as `GET /webhooks/acme.test?limit=1`, `caller` the name of a key. */
  async ask(caller: string, target: string, options: AskOptions = {}): Promise<Answer> {
    const request = this.#toRequest(caller, target, options)
    const answer = await this.#exchange.send(request)
    options.learn?.(answer.body.toString())
    this.#keep(caller, request, answer, options)
    return answer
  }

  async askAll(caller: string, targets: readonly string[]): Promise<void> {
    for (const target of targets) await this.ask(caller, target)
  }

  /** Not kept: for waiting and for learning. */
  peek(caller: string, target: string): Promise<Answer> {
    return this.#exchange.send(this.#toRequest(caller, target, {}))
  }

  async askJson<T>(caller: string, target: string, options: AskOptions = {}): Promise<T> {
    return JSON.parse((await this.ask(caller, target, options)).body.toString()) as T
  }

  /** The first `frames` frames of a stream of server-sent events. */
  async askStream(caller: string, target: string, frames: number, options: AskOptions = {}): Promise<Answer> {
    const request = this.#toRequest(caller, target, options)
    const answer = await this.#exchange.sendUntil(request, (body) => body.split('\n\nevent: ').length > frames)
    const body = answer.body
      .toString()
      .split('\n\nevent: ')
      .slice(0, frames + 1)
      .join('\n\nevent: ')
    this.#keep(caller, request, { ...answer, body: Buffer.from(body) }, options)
    return answer
  }

  async askBytes(note: string, bytes: string): Promise<void> {
    const [head = '', body = ''] = (await this.#exchange.sendBytes(bytes)).split(/\r\n\r\n(.*)/s)
    const [statusLine = '', ...fields] = head.split('\r\n')
    const headers = fields.map((field) => field.split(/: (.*)/s) as [string, string])
    const answer = {
      status: Number(statusLine.split(' ')[1]),
      headers: Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])),
      body: Buffer.from(body),
    }
    this.#keep('nobody', { method: 'BYTES', path: '', headers: {} }, answer, { note })
  }

  /** Additions to the interface are recorded where they exist, and are no difference where they do not. */
  serves(route: string): boolean {
    return this.#routes.has(route)
  }

  keepText(name: string, body: string): void {
    this.lines.push({ name, status: 0, headers: {}, body: this.#normalizer.text(body) })
  }

  [Symbol.dispose](): void {
    this.#exchange[Symbol.dispose]()
  }

  #toRequest(caller: string, target: string, { headers, body }: AskOptions): Request {
    const [, method = '', path = ''] = /^(\S+) (.*)$/s.exec(target) ?? []
    const key = this.#keys[caller] ?? ''
    return {
      method,
      path,
      headers: {
        host: 'envelog.test',
        'x-request-id': 'recorded',
        ...(key !== '' && { authorization: key }),
        ...headers,
      },
      ...(body !== undefined && { body: Buffer.from(body) }),
    }
  }

  #keep(caller: string, { method, path }: Request, answer: Answer, { note }: AskOptions): void {
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
    // The console's files follow from its source and are no answers of the server.
    if (path.startsWith('/assets/') && !type.startsWith('application/json')) return '<file of the console>'
    if (path === '/metrics') return metricNames(body.toString())
    if (coding !== undefined || type.startsWith('text/javascript')) {
      return `<${createHash('sha256').update(body).digest('hex')}>`
    }
    if (type.startsWith('image/')) return body.toString('base64')
    return this.#normalizer.text(body.toString())
  }
}
