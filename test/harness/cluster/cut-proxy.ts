/** A way between a server and a database that can be cut: nothing gets through, and nobody is told, as with a broken network. */
import { once } from 'node:events'
import { connect, createServer, type NetConnectOpts, type Socket } from 'node:net'
import type { Way } from './cut-network.ts'

export class CutProxy implements Way, AsyncDisposable {
  readonly #server
  readonly #sockets = new Set<Socket>()
  #isCut = false
  readonly port: number

  private constructor(server: ReturnType<typeof createServer>, port: number) {
    this.#server = server
    this.port = port
  }

  static async open(target: NetConnectOpts, host = '127.0.0.1'): Promise<CutProxy> {
    const server = createServer()
    server.listen(0, host)
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    const proxy = new CutProxy(server, port)
    server.on('connection', (socket) => proxy.#join(socket, connect(target)))
    return proxy
  }

  cut(): void {
    this.#isCut = true
    for (const socket of this.#sockets) socket.pause()
  }

  /** What was sent meanwhile arrives late. */
  mend(): void {
    this.#isCut = false
    for (const socket of this.#sockets) socket.resume()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #join(one: Socket, other: Socket): void {
    for (const [from, to] of [
      [one, other],
      [other, one],
    ] as const) {
      this.#sockets.add(from)
      from.on('data', (chunk) => {
        if (!to.write(chunk)) from.pause()
      })
      to.on('drain', () => {
        if (!this.#isCut) from.resume()
      })
      from.on('error', () => to.destroy())
      from.on('close', () => {
        this.#sockets.delete(from)
        to.destroy()
      })
      if (this.#isCut) from.pause()
    }
  }
}
