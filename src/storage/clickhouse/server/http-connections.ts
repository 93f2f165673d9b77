/**
 * Connections to a server by HTTP, which are kept for the next request. By Node's own client: a page is one request, and a library between
 * them took longer than a small request itself (docs/decisions/0068).
 */
import http from 'node:http'
import https from 'node:https'

/** Debian's version closes idle connections after three seconds. */
const IDLE_MS = 2000
const OK = 200

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
  readonly headers?: http.OutgoingHttpHeaders
  readonly body?: string | Uint8Array
}

export class HttpConnections {
  readonly #url: URL
  readonly #headers: http.OutgoingHttpHeaders
  readonly #agent: http.Agent

  constructor({ url, user, password, connections }: HttpConnectionsOptions) {
    this.#url = url
    const credentials = Buffer.from(`${user}:${password}`).toString('base64')
    this.#headers = { Authorization: `Basic ${credentials}`, 'User-Agent': 'envelog' }
    // The timeout is that of an idle connection: a request has that of its signal.
    const options = { keepAlive: true, maxSockets: connections, timeout: IDLE_MS }
    this.#agent = this.#isSecure ? new https.Agent(options) : new http.Agent(options)
  }

  /** The whole response. Rejects with what the server wrote if it refused, with the reason of the signal, or with an error of the network. */
  post({ parameters, body, contentType, signal }: Post): Promise<string> {
    const search = new URLSearchParams()
    for (const [name, value] of Object.entries(parameters)) search.set(name, String(value))
    const headers = {
      'Content-Length': Buffer.byteLength(body),
      ...(contentType !== undefined && { 'Content-Type': contentType }),
    }
    return this.#send({ method: 'POST', path: `/?${search.toString()}`, headers, body, signal })
  }

  /** Rejects if the server does not answer. That it does says nothing about its tables. */
  async ping(signal: AbortSignal): Promise<void> {
    await this.#send({ method: 'GET', path: '/ping', signal })
  }

  /** Requests under way fail. */
  close(): void {
    this.#agent.destroy()
  }

  get #isSecure(): boolean {
    return this.#url.protocol === 'https:'
  }

  #send({ method, path, headers, body, signal }: Sent): Promise<string> {
    const { hostname, port, pathname } = this.#url
    const options: http.RequestOptions = {
      agent: this.#agent,
      // Of an IPv6 address, the URL has brackets around it.
      hostname: hostname.replace(/^\[|\]$/g, ''),
      port,
      method,
      path: pathname.replace(/\/$/, '') + path,
      headers: { ...this.#headers, ...headers },
      signal,
    }
    return new Promise((resolve, reject) => {
      const fail = (error: Error) => reject(signal.aborted ? (signal.reason as Error) : error)
      const request = (this.#isSecure ? https : http).request(options, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', fail)
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString()
          if (isRefusal(response)) fail(new Error(text))
          else resolve(text)
        })
      })
      request.on('error', fail)
      request.end(body)
    })
  }
}

/** The status is 200, too, if the exception occurred after the response had begun. */
function isRefusal({ statusCode, headers }: http.IncomingMessage): boolean {
  return statusCode !== OK || headers['x-clickhouse-exception-code'] !== undefined
}
