/**
 * One connection to a server on loopback, one request at a time. A client that does nothing else leaves the machine's
 * processors to the server which is measured.
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export interface HttpAnswer {
  readonly status: number
  readonly body: Buffer
}

interface Waiting {
  readonly resolve: (answer: HttpAnswer) => void
  readonly reject: (error: Error) => void
}

const END_OF_HEAD = '\r\n\r\n'

export class HttpConnection {
  readonly #socket: Socket
  #received: Buffer[] = []
  #receivedBytes = 0
  /** Known once the head has been read. */
  #expected: { readonly status: number; readonly bodyStart: number; readonly bytes: number } | undefined
  #waiting: Waiting | undefined

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.setNoDelay(true)
    socket.on('data', (bytes) => this.#receive(bytes))
    socket.on('error', (error) => this.#fail(error))
    socket.on('close', () => this.#fail(new Error('the server closed the connection')))
  }

  static async open(address: string): Promise<HttpConnection> {
    const { hostname, port } = new URL(address)
    const socket = connect(Number(port), hostname)
    await once(socket, 'connect')
    return new HttpConnection(socket)
  }

  /** The bytes of a whole request. The answer must tell its length. */
  send(request: Buffer): Promise<HttpAnswer> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
      this.#socket.write(request)
    })
  }

  close(): void {
    this.#waiting = undefined
    this.#socket.destroy()
  }

  #receive(bytes: Buffer): void {
    this.#received.push(bytes)
    this.#receivedBytes += bytes.length
    this.#expected ??= readHead(this.#received.length === 1 ? bytes : Buffer.concat(this.#received))
    const expected = this.#expected
    if (!expected || this.#receivedBytes < expected.bytes) return
    const whole = this.#received.length === 1 ? bytes : Buffer.concat(this.#received)
    const waiting = this.#waiting
    this.#received = []
    this.#receivedBytes = 0
    this.#expected = undefined
    this.#waiting = undefined
    waiting?.resolve({ status: expected.status, body: whole.subarray(expected.bodyStart) })
  }

  #fail(error: Error): void {
    this.#waiting?.reject(error)
    this.#waiting = undefined
  }
}

function readHead(bytes: Buffer): { status: number; bodyStart: number; bytes: number } | undefined {
  const end = bytes.indexOf(END_OF_HEAD)
  if (end === -1) return undefined
  const head = bytes.toString('latin1', 0, end)
  const [, length] = /\r\ncontent-length: (\d+)/i.exec(head) ?? []
  if (length === undefined) throw new Error(`an answer without its length:\n${head}`)
  const bodyStart = end + END_OF_HEAD.length
  return { status: Number(head.slice(9, 12)), bodyStart, bytes: bodyStart + Number(length) }
}

export function getRequest(path: string, key: string): Buffer {
  return Buffer.from(`GET ${path} HTTP/1.1\r\nHost: bench\r\nAuthorization: ${key}\r\n\r\n`)
}

export function postRequest(path: string, key: string, body: Buffer): Buffer {
  const head = `POST ${path} HTTP/1.1\r\nHost: bench\r\nAuthorization: ${key}\r\nContent-Length: ${body.length}\r\n\r\n`
  return Buffer.concat([Buffer.from(head), body])
}
