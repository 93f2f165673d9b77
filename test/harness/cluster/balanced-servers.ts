/**
 * Several servers as behind a load balancer without stickiness: each attempt goes to the next that is ready, refusals and silence are
 * retried.
 */
import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import type { ServerProcess } from '../programs/server-process.ts'

/** Longer than a server waits for its databases before it answers 503. */
const ANSWER_TIMEOUT_MS = 20_000
/** After a refusal: each attempt makes a server read the whole request again, which takes a tenth of a second. */
const PAUSE_MS = 2400
/** Something is wrong if no server has answered for so long. */
const PATIENCE_MS = 300_000
const CHECK_INTERVAL_MS = 500
const CHECK_TIMEOUT_MS = 2000

export class BalancedServers implements AsyncDisposable {
  readonly servers: ServerProcess[]
  /** Answers by status; 0: none. */
  readonly answers = new Map<number, number>()
  readonly #unready = new Set<ServerProcess>()
  readonly #closed = new AbortController()
  readonly #checking: Promise<unknown>
  #turn = 0

  constructor(servers: readonly ServerProcess[]) {
    this.servers = [...servers]
    this.#checking = Promise.all(this.servers.map((_, index) => this.#check(index)))
  }

  next(): ServerProcess {
    const ready = this.servers.filter((server) => !this.#unready.has(server))
    const among = ready.length > 0 ? ready : this.servers
    return among[++this.#turn % among.length] ?? assert.fail()
  }

  replace(old: ServerProcess, by: ServerProcess): void {
    this.servers[this.servers.indexOf(old)] = by
  }

  /** The text of the first 200. Any answer but 200, 503 and 408, from a server that was frozen while it read the request, is a failure. */
  async request(path: string, init: RequestInit): Promise<string> {
    for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await delay(PAUSE_MS)) {
      // Otherwise the load of a test that has failed would go on for as long as it is patient.
      this.#closed.signal.throwIfAborted()
      const { status, text } = await this.#attempt(path, init)
      this.answers.set(status, (this.answers.get(status) ?? 0) + 1)
      if (status === 200) return text
      assert([0, 408, 503].includes(status), `${path} was answered with ${status}: ${text}`)
    }
    assert.fail(`no server has answered ${path}`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed.abort()
    await this.#checking
  }

  async #attempt(path: string, init: RequestInit): Promise<{ readonly status: number; readonly text: string }> {
    const { address } = this.next()
    try {
      const response = await fetch(`${address}${path}`, { ...init, signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) })
      return { status: response.status, text: await response.text() }
    } catch (error) {
      return { status: 0, text: String(error) }
    }
  }

  async #check(index: number): Promise<void> {
    const { signal } = this.#closed
    while (!signal.aborted) {
      const server = this.servers[index] ?? assert.fail()
      const ended = AbortSignal.any([signal, AbortSignal.timeout(CHECK_TIMEOUT_MS)])
      const answer = await fetch(`${server.address}/readyz`, { signal: ended }).catch(() => undefined)
      await answer?.body?.cancel().catch(() => undefined)
      if (answer?.ok) this.#unready.delete(server)
      else this.#unready.add(server)
      await delay(CHECK_INTERVAL_MS, undefined, { signal }).catch(() => undefined)
    }
  }
}
