/** The installation that is recorded: tenants, domains and keys made by the command line, a zone for DNS, a server on a port. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { type DnsServer, openDnsServer, type Zone } from '../../test/harness/dns-server.ts'
import { findFreePort } from '../../test/harness/free-port.ts'
import type { Normalizer } from './normalizer.ts'

/** In the past: some caches compare the time with that of files, and a clock that is ahead would make them trust too early. */
export const START_MS = Date.UTC(2025, 4, 20, 12)

/** All steps together stay below a minute, after which domains would be checked automatically. */
const STEP_MS = 50

const START_TIMEOUT_MS = 120_000

const OPTIONS = {
  ENVELOG_HOST: '127.0.0.1',
  ENVELOG_LOG_LEVEL: 'warn',
  // The budget is real time: it must never decide where a page ends.
  ENVELOG_QUERY_BUDGET: '1m',
  ENVELOG_SPF_INCLUDE: 'spf.operator.test',
  ENVELOG_RETURN_PATH_HOST: 'bounces.operator.test',
  ENVELOG_TRACKING_HOST: 'links.operator.test',
  ENVELOG_MX_HOST: 'mx.operator.test',
}

export interface DomainRecord {
  readonly type: string
  readonly name: string
  readonly value: string
  readonly purpose: string
}

export class Installation implements AsyncDisposable {
  readonly #checkout: string
  readonly #normalizer: Normalizer
  readonly #folder = mkdtempSync(join(tmpdir(), 'envelog-answers-'))
  readonly #zone: Zone = {}
  #dns: DnsServer | undefined
  #server: ChildProcess | undefined
  #nowMs = START_MS

  constructor(checkout: string, normalizer: Normalizer) {
    this.#checkout = checkout
    this.#normalizer = normalizer
    this.step()
  }

  /** What DNS answers; may be changed at any time. */
  get zone(): Zone {
    return this.#zone
  }

  get nowSeconds(): number {
    return Math.floor(this.#nowMs / 1000)
  }

  /** Lets a little time pass, so that what is done next has a time of its own. */
  step(byMs = STEP_MS): void {
    this.#nowMs += byMs
    writeFileSync(this.#clockFile, String(this.#nowMs))
  }

  /** A command run to its end. Its last output is what it printed. */
  async run(args: readonly string[], input = ''): Promise<string> {
    this.step()
    const child = spawn(join(this.#checkout, 'bin/envelog'), args, {
      cwd: this.#folder,
      env: this.#environment({}),
    })
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
    const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
    if (code !== 0) throw new Error(`envelog ${args.join(' ')} ended with ${String(code)}: ${stderr}`)
    return stdout
  }

  async runJson<T>(...args: readonly string[]): Promise<T> {
    return JSON.parse(await this.run(['--json', ...args])) as T
  }

  /** Resolves with its port when it answers. A server that is running is stopped before. */
  async serve(options: Readonly<Record<string, string>> = {}): Promise<number> {
    await this.stop()
    this.#dns ??= await openDnsServer(this.#zone)
    this.#normalizer.learn('DNS server', this.#dns.address)
    const port = await findFreePort()
    const server = spawn(join(this.#checkout, 'bin/envelog'), ['serve'], {
      cwd: this.#folder,
      env: this.#environment({ ENVELOG_PORT: String(port), ENVELOG_DNS_SERVERS: this.#dns.address, ...options }),
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    this.#server = server
    const deadline = performance.now() + START_TIMEOUT_MS
    while (!(await isUp(port))) {
      if (server.exitCode !== null || performance.now() > deadline) throw new Error('the server did not start')
      await pause(100)
    }
    return port
  }

  async stop(): Promise<void> {
    const server = this.#server
    this.#server = undefined
    if (!server || server.exitCode !== null) return
    server.kill('SIGTERM')
    await once(server, 'exit')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
    await this.#dns?.close()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  get #clockFile(): string {
    return join(this.#folder, 'now')
  }

  #environment(options: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
    const others = Object.entries(process.env).filter(([name]) => !/^(?:ENVELOG_|NODE_)/.test(name))
    return {
      ...Object.fromEntries(others),
      ...OPTIONS,
      ENVELOG_DATA_DIR: join(this.#folder, 'data'),
      RECORD_ANSWERS_CLOCK: this.#clockFile,
      NODE_OPTIONS: `--import=${new URL('fixed-clock.ts', import.meta.url).href}`,
      ...options,
    }
  }
}

async function isUp(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/healthz`)).status === 200
  } catch {
    return false
  }
}
