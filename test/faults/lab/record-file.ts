/** What the writers sent and what was acknowledged, on the disk: an acknowledgement is durable before the next request is sent. */
import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import type { Batch, LedgerRecord } from '../../harness/log/ledger.ts'

/** One line each: a batch when it is sent, its number when it is acknowledged. */
type Line = { readonly sent: number; readonly events: Batch } | { readonly acknowledged: number }

export class RecordFile implements LedgerRecord, Disposable {
  readonly path: string
  readonly #file: number
  readonly #numbers = new Map<Batch, number>()

  constructor(path: string) {
    this.path = path
    this.#file = openSync(path, 'ax')
  }

  sent(batch: Batch): void {
    const number = this.#numbers.size + 1
    this.#numbers.set(batch, number)
    this.#append({ sent: number, events: batch })
  }

  acknowledged(batch: Batch): void {
    if (!this.#numbers.has(batch)) this.sent(batch)
    this.#append({ acknowledged: this.#numbers.get(batch) ?? 0 })
    fsyncSync(this.#file)
  }

  #append(line: Line): void {
    writeSync(this.#file, `${JSON.stringify(line)}\n`)
  }

  [Symbol.dispose](): void {
    closeSync(this.#file)
  }
}

/** A last line that was cut short is not an acknowledgement. */
export function readRecordFile(path: string): {
  readonly acknowledged: readonly Batch[]
  readonly unanswered: readonly Batch[]
} {
  const sent = new Map<number, Batch>()
  const acknowledged: Batch[] = []
  for (const text of readFileSync(path, 'utf8').split('\n').slice(0, -1)) {
    const line = JSON.parse(text) as Line
    if ('sent' in line) sent.set(line.sent, line.events)
    else {
      acknowledged.push(sent.get(line.acknowledged) ?? [])
      sent.delete(line.acknowledged)
    }
  }
  return { acknowledged, unanswered: [...sent.values()] }
}
