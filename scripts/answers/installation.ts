/** The installation that is recorded: a data folder, a fixed clock, a zone for DNS, commands, and one server at a time. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type DnsServer, openDnsServer, type Zone } from '../../test/harness/dns/dns-server.ts'
import { runCli } from '../../test/harness/programs/run-cli.ts'
import { type ServerProcess, serveProcess } from '../../test/harness/programs/server-process.ts'
import { openTemporaryFolder } from '../../test/harness/temporary-folder.ts'
import type { Normalizer } from './normalizer.ts'

/** In the past: some caches compare the clock with the times of files, and would trust them too early if it were ahead. */
export const START_MS = Date.UTC(2025, 4, 20, 12)

/** All steps together stay below a minute, after which domains would be checked automatically. */
const STEP_MS = 50

const OPTIONS = {
  ENVELOG_HOST: '127.0.0.1',
  ENVELOG_LOG_LEVEL: 'warn',
  // The budget is real time: it must never decide where a page ends.
  ENVELOG_QUERY_BUDGET: '1m',
  ENVELOG_SPF_INCLUDE: 'spf.operator.test',
  ENVELOG_RETURN_PATH_HOST: 'bounces.operator.test',
  ENVELOG_TRACKING_HOST: 'links.operator.test',
  ENVELOG_MX_HOST: 'mx.operator.test',
  ENVELOG_REPORT_PROOF: 'issued',
  NODE_OPTIONS: `--import=${new URL('fixed-clock.ts', import.meta.url).href}`,
}

export class Installation implements AsyncDisposable {
  /** The records in DNS; may be changed at any time. */
  readonly zone: Zone = {}
  readonly #checkout: string
  readonly #normalizer: Normalizer
  readonly #folder = openTemporaryFolder()
  readonly #environment: Readonly<Record<string, string>>
  #dns: DnsServer | undefined
  #server: ServerProcess | undefined
  #nowMs = START_MS

  constructor(checkout: string, normalizer: Normalizer) {
    this.#checkout = checkout
    this.#normalizer = normalizer
    this.#environment = { ...OPTIONS, RECORD_ANSWERS_CLOCK: join(this.#folder.path, 'now') }
    this.step()
  }

  get nowSeconds(): number {
    return Math.floor(this.#nowMs / 1000)
  }

  /** Advances the clock a little, so that what follows gets a time of its own. */
  step(byMs = STEP_MS): void {
    this.#nowMs += byMs
    writeFileSync(join(this.#folder.path, 'now'), String(this.#nowMs))
  }

  /** The output of a command. */
  async run(args: readonly string[], input = ''): Promise<string> {
    this.step()
    const launcher = join(this.#checkout, 'bin/envelog')
    const env = this.#environment
    const { exitCode, stdout, stderr } = await runCli(args, { cwd: this.#folder.path, env, input, launcher })
    if (exitCode !== 0) throw new Error(`envelog ${args.join(' ')} ended with ${String(exitCode)}: ${stderr}`)
    return stdout
  }

  async runJson<T>(...args: readonly string[]): Promise<T> {
    return JSON.parse(await this.run(['--json', ...args])) as T
  }

  /** The address of a new server; the previous one is stopped first. */
  async serve(options: Readonly<Record<string, string>> = {}): Promise<string> {
    await this.#server?.stop()
    this.#dns ??= await openDnsServer(this.zone)
    this.#normalizer.learn('DNS server', this.#dns.address)
    this.#server = await serveProcess({
      args: [join(this.#checkout, 'src/main.ts')],
      dataDir: join(this.#folder.path, 'data'),
      env: { ...this.#environment, ENVELOG_DNS_SERVERS: this.#dns.address, ...options },
    })
    return this.#server.address
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server?.stop()
    await this.#dns?.close()
    this.#folder[Symbol.dispose]()
  }
}
