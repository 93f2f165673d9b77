/** Where the time of writing goes: sums since the start, for metrics and measurements. */
export type WriteStage = 'lock' | 'look' | 'decide' | 'apply'

export class WriteTimes {
  readonly sumsMs: Record<WriteStage, number> = { lock: 0, look: 0, decide: 0, apply: 0 }
  readonly counts: Record<WriteStage, number> = { lock: 0, look: 0, decide: 0, apply: 0 }

  /** Returns what ends the measurement. */
  start(stage: WriteStage): () => void {
    const startedAt = performance.now()
    return () => {
      this.sumsMs[stage] += performance.now() - startedAt
      this.counts[stage]++
    }
  }

  async measure<T>(stage: WriteStage, work: () => Promise<T>): Promise<T> {
    const stop = this.start(stage)
    try {
      return await work()
    } finally {
      stop()
    }
  }
}
