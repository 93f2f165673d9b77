/** Lines from a pipe. A pipe has no position to resume from: lines that are not stored when the process is killed are lost. */

import { LineSplitter } from '../../files/line-splitter.ts'
import type { Feed, Portion } from './feed.ts'

/** With more lines waiting, the pipe is paused. */
const LINES_MAX = 20_000

export class StdinFeed implements Feed {
  readonly #input: NodeJS.ReadStream
  readonly #splitter = new LineSplitter()
  #lines: Buffer[] = []
  #isOver = false

  constructor(input: NodeJS.ReadStream = process.stdin) {
    this.#input = input
    input.on('data', (chunk: Buffer) => {
      this.#lines.push(...this.#splitter.push(chunk))
      if (this.#lines.length >= LINES_MAX) input.pause()
    })
    input.on('end', () => {
      this.#lines.push(...this.#splitter.finish())
      this.#isOver = true
    })
  }

  get hasEnded(): boolean {
    return this.#isOver && this.#lines.length === 0
  }

  async next(): Promise<Portion | undefined> {
    const lines = this.#lines
    this.#lines = []
    if (!this.#isOver) this.#input.resume()
    return lines.length > 0 ? { lines, changes: [] } : undefined
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#input.destroy()
  }
}
