/** A member of a cluster as a process that tests kill, freeze and restart. It never outlives the process that started it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

const START_TIMEOUT_MS = 180_000
const STOP_TIMEOUT_MS = 10_000
const POLL_MS = 50

export interface MemberOptions {
  readonly name: string
  readonly command: readonly string[]
  /** Gets what it prints. */
  readonly output: string
  /** Whether it answers already. */
  readonly isReady: () => Promise<boolean>
}

/** Throws unless the file of a package of the system is there. */
export function requirePackage(name: string, file: string): void {
  if (!existsSync(file)) throw new Error(`${name} is missing: apt-get install ${name}`)
}

export class MemberProcess {
  readonly name: string
  readonly #options: MemberOptions
  #child: ChildProcess | undefined

  constructor(options: MemberOptions) {
    this.name = options.name
    this.#options = options
  }

  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** Resolves when it answers. */
  async start(): Promise<void> {
    if (this.#isRunning()) throw new Error(`${this.name} is running`)
    const output = openSync(this.#options.output, 'a')
    // The kernel ends it with this process, however this process ends.
    const args = ['--pdeathsig', 'KILL', '--', ...this.#options.command]
    this.#child = spawn('setpriv', args, { stdio: ['ignore', output, output] })
    closeSync(output)
    await this.untilReady()
  }

  async untilReady(): Promise<void> {
    for (const end = Date.now() + START_TIMEOUT_MS; Date.now() < end; await delay(POLL_MS)) {
      if (await this.#options.isReady()) return
      if (!this.#isRunning()) throw new Error(`${this.name} ended: ${this.#lastOutput()}`)
    }
    throw new Error(`${this.name} does not answer: ${this.#lastOutput()}`)
  }

  /** SIGKILL. */
  kill(): Promise<void> {
    return this.#end('SIGKILL')
  }

  /** SIGTERM, and SIGKILL if that is ignored. */
  async stop(): Promise<void> {
    const impatience = setTimeout(() => this.#child?.kill('SIGKILL'), STOP_TIMEOUT_MS)
    await this.#end('SIGTERM')
    clearTimeout(impatience)
  }

  async restart(): Promise<void> {
    await this.stop()
    await this.start()
  }

  /** It keeps its sockets and answers nothing, until thaw(). */
  freeze(): void {
    this.#child?.kill('SIGSTOP')
  }

  thaw(): void {
    this.#child?.kill('SIGCONT')
  }

  #isRunning(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child
    if (child === undefined || !this.#isRunning()) return
    const exited = once(child, 'exit')
    child.kill(signal)
    child.kill('SIGCONT')
    await exited
  }

  #lastOutput(): string {
    const { output } = this.#options
    return existsSync(output) ? readFileSync(output, 'utf8').slice(-2000) : ''
  }
}
