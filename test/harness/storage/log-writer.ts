/** A process that writes events into a log again and again until they are acknowledged, to be killed and frozen. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import type { AttributedEvent } from '../../../src/events/log/event-log.ts'
import { AppError } from '../../../src/lib/app-error.ts'
import { BASE_TIMESTAMP } from '../../../src/storage/contract/event-arbitraries.ts'
import { type LogPlace, openLog } from './clickhouse/logs.ts'

export interface WriterTask {
  readonly place: LogPlace
  /** Events with these numbers, in calls of this size. */
  readonly from: number
  readonly to: number
  readonly callEvents: number
  readonly silenceMs: number
}

export const DOMAINS = 20

const PATIENCE_MS = 180_000

/** Of several domains, days and types; the same for the same number. */
export function numberedEvent(index: number): AttributedEvent {
  const domainNumber = 1 + (index % DOMAINS)
  const timestamp = BASE_TIMESTAMP + (index % 3) * 86_400 + Math.floor(index / 50)
  const type = index % 4 === 0 ? 'Bounce' : 'Delivery'
  const event = {
    id: `message-${index}`,
    timestamp,
    type,
    domain_name: 'a.test',
    recipient: `u${index}@b.test`,
  } as const
  return { domainNumber, event, extension: { sending_source: `mta-${index % 5}` } }
}

/** What a process has told: events that it was told to be stored by it, and how often it was refused. */
export interface WriterReport {
  readonly stored: number
  readonly refused: number
}

export class LogWriterProcess {
  readonly #child: ChildProcess
  readonly #lines: string[] = []
  readonly #ended: Promise<unknown>

  constructor(task: WriterTask, resources: AsyncDisposableStack) {
    const file = join(import.meta.dirname, 'log-writer.ts')
    this.#child = spawn(process.execPath, [file, JSON.stringify(task)], { stdio: ['ignore', 'pipe', 'inherit'] })
    if (this.#child.stdout) createInterface(this.#child.stdout).on('line', (line) => this.#lines.push(line))
    this.#ended = once(this.#child, 'close')
    resources.defer(() => void this.#child.kill('SIGKILL'))
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  /** Undefined if it was killed before its end. */
  async report(): Promise<WriterReport | undefined> {
    await this.#ended
    const last = this.#lines.at(-1)
    return last === undefined ? undefined : (JSON.parse(last) as WriterReport)
  }
}

async function write({ place, from, to, callEvents, silenceMs }: WriterTask): Promise<WriterReport> {
  let [stored, refused] = [0, 0]
  const onRefused = () => void refused++
  await using opened = await untilAccepted(() => openLog(place, { silenceMs }), onRefused)
  for (let at = from; at < to; at += callEvents) {
    const events = Array.from({ length: Math.min(callEvents, to - at) }, (_, index) => numberedEvent(at + index))
    stored += (await untilAccepted(() => opened.log.append(events), onRefused)).stored
  }
  return { stored, refused }
}

/** As a client sends again what was refused for the moment. */
export async function untilAccepted<T>(work: () => Promise<T>, onRefused: () => void = () => undefined): Promise<T> {
  for (const end = Date.now() + PATIENCE_MS; ; ) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof AppError) || Date.now() > end) throw error
      onRefused()
      await delay(200)
    }
  }
}

if (import.meta.main) {
  const report = await write(JSON.parse(process.argv[2] ?? '') as WriterTask)
  process.stdout.write(`${JSON.stringify(report)}\n`)
}
