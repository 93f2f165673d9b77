/** Progress of a long command, redrawn in place on stderr; silent if stderr is not a terminal. */

const WIDTH = 30
const REDRAW_EVERY_MS = 100

export class ProgressBar {
  readonly #isShown: boolean
  readonly #total: number
  #done = 0
  #drawnAtMs = 0

  /** With a total of 0 only the label is shown. */
  constructor(total: number, isShown = process.stderr.isTTY === true) {
    this.#total = total
    this.#isShown = isShown
  }

  advance(amount: number, label: () => string): void {
    this.#done += amount
    const nowMs = performance.now()
    if (!this.#isShown || nowMs - this.#drawnAtMs < REDRAW_EVERY_MS) return
    this.#drawnAtMs = nowMs
    process.stderr.write(`\r${this.#draw()}${label()}\x1b[K`)
  }

  /** Clears the line. */
  finish(): void {
    if (this.#isShown) process.stderr.write('\r\x1b[K')
  }

  #draw(): string {
    if (this.#total === 0) return ''
    const share = Math.min(this.#done / this.#total, 1)
    const filled = Math.round(share * WIDTH)
    return `[${'#'.repeat(filled)}${'.'.repeat(WIDTH - filled)}] ${Math.floor(share * 100)} %  `
  }
}
