/** A current ClickHouse in a process of its own, without a server and without replication: for its SQL, planner and tables. */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { parseTabSeparated } from '../../../../src/storage/clickhouse/server/tab-separated.ts'

type Answer = { readonly text: string } | { readonly error: string }

/** Of what it prints, for the message if it ends. */
const WORDS_KEPT = 1000
/** Longer than it usually takes to end. */
const END_MS = 5000

export class ModernClickHouse implements AsyncDisposable {
  readonly #process: ChildProcessByStdio<Writable, Readable, Readable>
  readonly #answers: AsyncIterator<string>
  #words = ''

  constructor([program, ...args]: readonly [string, ...string[]]) {
    this.#process = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] })
    this.#process.stdin.on('error', () => undefined)
    this.#process.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#words = (this.#words + text).slice(-WORDS_KEPT)
    })
    this.#answers = createInterface({ input: this.#process.stdout })[Symbol.asyncIterator]()
  }

  /** One at a time. Throws with ClickHouse's own words. */
  async run(sql: string): Promise<readonly (readonly string[])[]> {
    this.#process.stdin.write(`${JSON.stringify(sql)}\n`)
    const { value, done } = await this.#answers.next()
    if (done) throw new Error(`ClickHouse has ended: ${this.#words}\n${sql}`)
    const answer = JSON.parse(value) as Answer
    if ('error' in answer) throw new Error(`${answer.error}\n${sql}`)
    return parseTabSeparated(answer.text)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return
    const ended = once(this.#process, 'exit')
    this.#process.stdin.end()
    // Once it took five minutes, on a machine that was busy. Its data is thrown away.
    const kill = setTimeout(() => this.#process.kill('SIGKILL'), END_MS)
    await ended
    clearTimeout(kill)
  }
}
