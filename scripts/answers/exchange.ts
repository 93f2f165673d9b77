/** One HTTP request and its whole answer, with full control over the request line, the headers and the bytes. */
import { Agent, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { buffer } from 'node:stream/consumers'

export interface Request {
  readonly method: string
  /** As it is written in the request line. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Buffer
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

export class Exchange implements Disposable {
  readonly #port: number
  readonly #agent = new Agent({ keepAlive: true })

  constructor(port: number) {
    this.#port = port
  }

  async send(asked: Request): Promise<Answer> {
    const message = await this.#open(asked)
    return { ...headOf(message), body: await buffer(message) }
  }

  /** The start of an answer that does not end: read until `isEnough` says so. */
  async sendUntil(asked: Request, isEnough: (body: string) => boolean): Promise<Answer> {
    const message = await this.#open(asked)
    let body = ''
    for await (const chunk of message) {
      body += String(chunk)
      if (isEnough(body)) break
    }
    return { ...headOf(message), body: Buffer.from(body) }
  }

  /** Bytes that need not be HTTP; the answer is everything until the server closes the connection. */
  async sendBytes(bytes: string): Promise<string> {
    const socket = connect(this.#port, '127.0.0.1')
    socket.on('error', () => undefined)
    socket.write(bytes)
    return (await buffer(socket)).toString()
  }

  #open({ method, path, headers, body }: Request): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const length = body === undefined ? {} : { 'content-length': String(body.length) }
      request({
        host: '127.0.0.1',
        port: this.#port,
        agent: this.#agent,
        method,
        path,
        headers: { ...headers, ...length },
      })
        .on('response', resolve)
        .on('error', reject)
        .end(body)
    })
  }

  [Symbol.dispose](): void {
    this.#agent.destroy()
  }
}

function headOf({ statusCode = 0, headers }: IncomingMessage): Pick<Answer, 'status' | 'headers'> {
  const entries = Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')] as const)
  return { status: statusCode, headers: Object.fromEntries(entries) }
}
