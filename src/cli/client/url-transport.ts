/** A server elsewhere, with an operator's key. */
import { readFileSync } from 'node:fs'
import { Agent as HttpsAgent } from 'node:https'
import { AppError } from '../../lib/app-error.ts'
import { Agent as HttpAgent } from '../../lib/net/node-http.ts'
import { parseApiKey } from '../../tenants/api-key.ts'
import { whyUnreadable } from '../files/why-unreadable.ts'
import { type Answer, exchangeHttp, type Request, type Transport } from './exchange.ts'

export class UrlTransport implements Transport {
  readonly name: string
  readonly isRemote = true
  readonly #url: URL
  readonly #keyFile: string
  readonly #agent: InstanceType<typeof HttpAgent>

  constructor(url: string, keyFile: string) {
    if (!URL.canParse(url) || !/^https?:/.test(url)) {
      throw new AppError('invalid_request', `--url: ${url} is not an http address, such as https://envelog.example.com`)
    }
    this.name = url.replace(/\/+$/, '')
    this.#url = new URL(this.name)
    this.#keyFile = keyFile
    const options = { keepAlive: true }
    this.#agent = this.#url.protocol === 'https:' ? new HttpsAgent(options) : new HttpAgent(options)
  }

  async send(request: Request): Promise<Answer> {
    const { protocol, host, hostname, port, pathname } = this.#url
    const path = pathname.replace(/\/+$/, '') + request.path
    const headers = { ...request.headers, host, authorization: this.#readKey() }
    // An IPv6 address has brackets in a URL only.
    const target = { protocol, host: hostname.replace(/^\[|\]$/g, ''), port, agent: this.#agent }
    try {
      return await exchangeHttp({ ...request, path, headers }, target)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      throw new AppError('storage_unavailable', `${this.name} cannot be reached: ${reason}`, { cause: error })
    }
  }

  async release(): Promise<void> {}

  async [Symbol.asyncDispose](): Promise<void> {
    this.#agent.destroy()
  }

  /** At every request, so that the key can be replaced while a tail runs. */
  #readKey(): string {
    const key = this.#readKeyFile().trim()
    if (parseApiKey(key)) return key
    throw new AppError(
      'storage_unavailable',
      `The key file ${this.#keyFile} does not contain an API key. It must contain the key, env_…, and nothing else`,
    )
  }

  #readKeyFile(): string {
    try {
      return readFileSync(this.#keyFile, 'utf8')
    } catch (error) {
      const reason = whyUnreadable(error, 'file')
      throw new AppError('storage_unavailable', `The key file ${this.#keyFile} cannot be read: ${reason}`, {
        cause: error,
      })
    }
  }
}
