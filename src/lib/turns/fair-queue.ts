/**
 * Distributes the work of many owners over several workers. A worker has a limited number of pieces of each owner, and of
 * all of them; owners with waiting work take turns, so none waits for the queue of another.
 */
export interface FairLimits {
  /** Pieces of work that a worker has at a time, and how many of them may have the same owner. */
  readonly perWorker: number
  readonly perOwner: number
}

interface Running {
  count: number
  readonly byOwner: Map<string, number>
}

export class FairQueue<Work, Worker> {
  readonly #limits: FairLimits
  /** By owner, first come, first served; the owners in the order of their turns. Owners without waiting work are absent. */
  readonly #waiting = new Map<string, Work[]>()
  readonly #running = new Map<Worker, Running>()

  constructor(limits: FairLimits) {
    this.#limits = limits
  }

  add(owner: string, work: Work): void {
    const waiting = this.#waiting.get(owner)
    if (waiting) waiting.push(work)
    else this.#waiting.set(owner, [work])
  }

  /** The next piece of work for the worker, which is running from then on; undefined if it may not run any. */
  take(worker: Worker): Work | undefined {
    const running = this.#running.get(worker) ?? { count: 0, byOwner: new Map<string, number>() }
    const { perWorker, perOwner } = this.#limits
    if (running.count >= perWorker) return undefined
    for (const [owner, works] of this.#waiting) {
      const ofOwner = running.byOwner.get(owner) ?? 0
      if (ofOwner >= perOwner) continue
      const work = works.shift()
      this.#waiting.delete(owner)
      if (works.length > 0) this.#waiting.set(owner, works)
      running.byOwner.set(owner, ofOwner + 1)
      running.count++
      this.#running.set(worker, running)
      return work
    }
    return undefined
  }

  /** One piece of the owner's work on that worker is done. */
  end(worker: Worker, owner: string): void {
    const running = this.#running.get(worker)
    const ofOwner = running?.byOwner.get(owner)
    if (!running || !ofOwner) return
    if (ofOwner > 1) running.byOwner.set(owner, ofOwner - 1)
    else running.byOwner.delete(owner)
    if (--running.count === 0) this.#running.delete(worker)
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

  /** Pieces of work on the worker. */
  countRunning(worker: Worker): number {
    return this.#running.get(worker)?.count ?? 0
  }
}
