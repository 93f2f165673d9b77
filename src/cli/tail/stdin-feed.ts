/** Lines from a pipe. There is no place to come back to: what was read and not stored when it is killed is gone. */
import type { Feed, Portion } from './feed.ts'
import { LineSplitter } from './line-splitter.ts'

/** Beyond this many lines the pipe is made to wait. */
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
