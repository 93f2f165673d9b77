/**
 * Connections to a server by HTTP, which are kept for the next request. By Node's own client: a page is one request, and a library between
 * them took longer than a small request itself (docs/decisions/0068).
 */
import type { Agent as HttpAgent, IncomingMessage, OutgoingHttpHeaders, RequestOptions } from 'node:http'
import { request as requestHttps, Agent as SecureAgent } from 'node:https'
import type { Socket } from 'node:net'
import { Agent, request as requestHttp } from '../../../lib/net/node-http.ts'

/** Debian's version closes idle connections after three seconds. */
const IDLE_MS = 2000
const OK = 200
/** All versions send it with every response to a statement. */
const NAME_OF_SERVER = 'x-clickhouse-server-display-name'
/** Of what a server writes when it refuses: exceptions are short. */
const REFUSAL_BYTES_MAX = 65_536

export interface HttpConnectionsOptions {
  /** `http://` or `https://`, with a path if there is one before those of ClickHouse. */
  readonly url: URL
  readonly user: string
  readonly password: string
  /** At a time; further requests wait. */
  readonly connections: number
}

export interface Post {
  readonly parameters: Readonly<Record<string, number | string>>
  readonly body: string | Uint8Array
  readonly contentType?: string | undefined
  readonly signal: AbortSignal
}

interface Sent {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly signal: AbortSignal
  readonly headers?: OutgoingHttpHeaders
  readonly body?: string | Uint8Array
  readonly agent?: HttpAgent | false
  /** Whether the response has to be that of ClickHouse to a statement. */
  readonly isStatement?: boolean
}

export class HttpConnections {
  readonly #url: URL
  readonly #headers: OutgoingHttpHeaders
  readonly #agent: HttpAgent
  /** When a connection became idle. */
  readonly #usedAt = new WeakMap<Socket, number>()

  constructor({ url, user, password, connections }: HttpConnectionsOptions) {
    this.#url = url
    const credentials = Buffer.from(`${user}:${password}`).toString('base64')
    this.#headers = { Authorization: `Basic ${credentials}`, 'User-Agent': 'envelog' }
    // The timeout is that of an idle connection: a request has that of its signal.
    const options = { keepAlive: true, maxSockets: connections, timeout: IDLE_MS }
    this.#agent = this.#isSecure ? new SecureAgent(options) : new Agent(options)
  }

  /** The whole response. Rejects with what the server wrote if it refused, with the reason of the signal, or with an error of the network. */
  post({ parameters, body, contentType, signal }: Post): Promise<string> {
    const search = new URLSearchParams()
    for (const [name, value] of Object.entries(parameters)) search.set(name, String(value))
    const headers = {
      'Content-Length': Buffer.byteLength(body),
      ...(contentType !== undefined && { 'Content-Type': contentType }),
    }
    return this.#send({ method: 'POST', path: `/?${search.toString()}`, headers, body, signal, isStatement: true })
  }

  /** Rejects if the server does not answer. That it does says nothing about its tables. With a connection of its own, which need not be waited for. */
  async ping(signal: AbortSignal): Promise<void> {
    await this.#send({ method: 'GET', path: '/ping', signal, agent: false })
  }

  /** Requests that have a connection fail. Those that wait for one end with their signal. */
  close(): void {
    this.#agent.destroy()
  }

  get #isSecure(): boolean {
    return this.#url.protocol === 'https:'
  }

  #send({ method, path, headers, body, signal, agent = this.#agent, isStatement = false }: Sent): Promise<string> {
    const { hostname, port, pathname } = this.#url
    const options: RequestOptions = {
      agent,
      // Of an IPv6 address, the URL has brackets around it.
      hostname: hostname.replace(/^\[|\]$/g, ''),
      port,
      method,
      path: pathname.replace(/\/$/, '') + path,
      headers: { ...this.#headers, ...headers },
      signal,
    }
    this.#closeStale()
    return new Promise((resolve, reject) => {
      const fail = (error: Error) => reject(signal.aborted ? (signal.reason as Error) : error)
      // A request that waits for a connection would be aborted only when it has one.
      const leave = () => reject(signal.reason as Error)
      signal.addEventListener('abort', leave, { once: true })
      const request = (this.#isSecure ? requestHttps : requestHttp)(options, (response) => {
        response.once('end', () => {
          if (request.socket) this.#usedAt.set(request.socket, performance.now())
        })
        readWhole(response, fail, (text) => {
          const problem = isStatement ? findProblem(response) : undefined
          if (problem === undefined) resolve(text)
          else fail(new Error(problem))
        })
      })
      request.on('error', fail)
      request.on('close', () => {
        signal.removeEventListener('abort', leave)
        fail(new Error('The connection was closed before the end of the response'))
      })
      request.end(body)
    })
  }

  /** While this process is busy, its timers are late, and the server has closed what looks open here. */
  #closeStale(): void {
    const now = performance.now()
    for (const socket of Object.values(this.#agent.freeSockets).flatMap((sockets) => sockets ?? [])) {
      if (now - (this.#usedAt.get(socket) ?? 0) >= (socket.timeout ?? IDLE_MS)) socket.destroy()
    }
  }
}

/** Calls one of both. A refusal is not read further than necessary: a proxy may write anything. */
function readWhole(response: IncomingMessage, fail: (error: Error) => void, done: (text: string) => void): void {
  const chunks: Buffer[] = []
  let bytes = 0
  const refusal = () => new Error(Buffer.concat(chunks).toString() || `HTTP status ${response.statusCode}`)
  response.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    bytes += chunk.length
    if (isRefusal(response) && bytes > REFUSAL_BYTES_MAX) response.destroy(refusal())
  })
  response.on('error', fail)
  response.on('end', () => {
    if (isRefusal(response)) return fail(refusal())
    let text = ''
    try {
      text = Buffer.concat(chunks).toString()
    } catch (error) {
      // Longer than a text can be.
      return fail(error as Error)
    }
    done(text)
  })
}

/**
 * A proxy may answer itself, with a page and the status 200: an insert that was never made would count as stored. Without a length nobody
 * notices that the end of a response is missing.
 */
function findProblem({ headers }: IncomingMessage): string | undefined {
  if (headers[NAME_OF_SERVER] === undefined)
    return 'The response is not from ClickHouse: the address belongs to another program, or a proxy answered instead'
  const hasLength = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
  return hasLength
    ? undefined
    : 'The response has no Content-Length and is not chunked: the proxy in front of ClickHouse must use HTTP/1.1'
}

/** The status is 200, too, if the exception occurred after the response had begun. */
function isRefusal({ statusCode, headers }: IncomingMessage): boolean {
  return statusCode !== OK || headers['x-clickhouse-exception-code'] !== undefined
}
