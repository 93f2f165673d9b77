/**
 * Distributes the work of many owners over several workers. A worker runs at most one piece of work of each owner, and a
 * limited number in all; owners with waiting work take turns, so none waits for the queue of another.
 */
export class FairQueue<Work, Worker> {
  readonly #perWorker: number
  /** By owner, first come, first served; the owners in the order of their turns. Owners without waiting work are absent. */
  readonly #waiting = new Map<string, Work[]>()
  /** The owners whose work each worker runs. */
  readonly #running = new Map<Worker, Set<string>>()

  /** `perWorker`: how many pieces of work a worker runs at a time. */
  constructor(perWorker: number) {
    this.#perWorker = perWorker
  }

  add(owner: string, work: Work): void {
    const waiting = this.#waiting.get(owner)
    if (waiting) waiting.push(work)
    else this.#waiting.set(owner, [work])
  }

  /** The next piece of work for the worker, which is running from then on; undefined if it may not run any. */
  take(worker: Worker): Work | undefined {
    const running = this.#running.get(worker)
    if (running && running.size >= this.#perWorker) return undefined
    for (const [owner, works] of this.#waiting) {
      if (running?.has(owner)) continue
      const work = works.shift()
      this.#waiting.delete(owner)
      if (works.length > 0) this.#waiting.set(owner, works)
      if (running) running.add(owner)
      else this.#running.set(worker, new Set([owner]))
      return work
    }
    return undefined
  }

  /** The owner's work on that worker is done. */
  end(worker: Worker, owner: string): void {
    const running = this.#running.get(worker)
    running?.delete(owner)
    if (running?.size === 0) this.#running.delete(worker)
  }

  /** False if the work is not waiting. */
  remove(owner: string, work: Work): boolean {
    const works = this.#waiting.get(owner)
    const at = works?.indexOf(work) ?? -1
    if (!works || at < 0) return false
    works.splice(at, 1)
    if (works.length === 0) this.#waiting.delete(owner)
    return true
  }

  /** The number of owners whose work the worker runs. */
  countRunning(worker: Worker): number {
    return this.#running.get(worker)?.size ?? 0
  }
}
