/** How far a long command is, redrawn in place on stderr; silent where stderr is no terminal. */

const WIDTH = 30
const REDRAW_EVERY_MS = 100

export class ProgressBar {
  readonly #isShown: boolean
  readonly #total: number
  #done = 0
  #drawnAtMs = 0

  /** Without a total (0) it only shows the label. */
  constructor(total: number, isShown = process.stderr.isTTY === true) {
    this.#total = total
    this.#isShown = isShown
  }

  advance(amount: number, label: string): void {
    this.#done += amount
    const nowMs = performance.now()
    if (!this.#isShown || nowMs - this.#drawnAtMs < REDRAW_EVERY_MS) return
    this.#drawnAtMs = nowMs
    process.stderr.write(`\r${this.#draw()}${label}\x1b[K`)
  }

  /** Leaves an empty line for what is printed next. */
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
