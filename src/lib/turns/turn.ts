/** A time slice on the thread: once it is used up, other work may run. */

const TURN_MS = 2

/** Those that wait for their next slice, in the order of their turns. */
const waiting: (() => void)[] = []

export class Turn {
  readonly #lastsMs: number
  #endsAtMs: number

  constructor(lastsMs = TURN_MS) {
    this.#lastsMs = lastsMs
    this.#endsAtMs = performance.now() + lastsMs
  }

  /** For loops with iterations so short that awaiting in each would cost noticeable time. */
  get isOver(): boolean {
    return performance.now() > this.#endsAtMs
  }

  async share(): Promise<void> {
    if (!this.isOver) return
    await nextSlice()
    this.#endsAtMs = performance.now() + this.#lastsMs
  }
}

/** One slice in each iteration of the event loop: new work waits for one slice, however many others are running. */
function nextSlice(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve)
    if (waiting.length === 1) setImmediate(runSlice)
  })
}

function runSlice(): void {
  const begin = waiting.shift()
  if (waiting.length > 0) setImmediate(runSlice)
  begin?.()
}
