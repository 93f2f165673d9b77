/** A process that holds the lock of a shard, to be killed or frozen with it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import { AppError } from '../../../src/lib/app-error.ts'
import { BatchStore } from '../../../src/storage/postgres/batches/batch-store.ts'
import type { HeldShard } from '../../../src/storage/postgres/batches/held-shard.ts'
import { Postgres } from '../../../src/storage/postgres/database/postgres.ts'

export class ShardHolder {
  readonly #child: ChildProcess
  readonly #lines: Interface

  private constructor(child: ChildProcess) {
    this.#child = child
    if (!child.stdout) throw new Error('the process has no output')
    this.#lines = createInterface(child.stdout)
  }

  static async start(url: string, resources: AsyncDisposableStack, silenceMs = 30_000): Promise<ShardHolder> {
    const file = join(import.meta.dirname, 'shard-holder.ts')
    const child = spawn(process.execPath, [file, url, String(silenceMs)], { stdio: ['pipe', 'pipe', 'inherit'] })
    const holder = new ShardHolder(child)
    resources.defer(async () => {
      child.kill('SIGKILL')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    })
    return holder
  }

  hold(shard: number): Promise<string> {
    return this.#ask(`hold ${shard}`)
  }

  decide(events: number): Promise<string> {
    return this.#ask(`decide ${events}`)
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  async #ask(command: string): Promise<string> {
    const answered = once(this.#lines, 'line')
    this.#child.stdin?.write(`${command}\n`)
    const [line] = (await answered) as [string]
    return line
  }
}

/** The process itself: holds a shard until its input ends. */
function runHolder(url: string, silenceMs: number): void {
  const store = new BatchStore({ db: new Postgres(url), silenceMs })
  const held = Promise.withResolvers<HeldShard>()
  const run: Record<string, (value: number) => Promise<string>> = {
    async hold(shard) {
      void store.hold(shard, 10_000, (own) => {
        held.resolve(own)
        return new Promise(() => undefined)
      })
      await held.promise
      return 'held'
    },
    async decide(events) {
      const draft = {
        events,
        token: 'holder',
        domainNumbers: new Set([1]),
        payload: Buffer.from('held'),
        closedCounts: [],
      }
      const batch = await (await held.promise).decide([1], async () => draft)
      return `decided ${batch?.first}`
    },
  }
  createInterface(process.stdin).on('line', (line) => {
    const [command = '', value] = line.split(' ')
    const answer = run[command]?.(Number(value)) ?? Promise.resolve('unknown')
    void answer
      .catch((error: unknown) => `failed ${error instanceof AppError ? error.code : String(error)}`)
      .then((text) => process.stdout.write(`${text}\n`))
  })
}

if (import.meta.main) runHolder(process.argv[2] ?? '', Number(process.argv[3]))
