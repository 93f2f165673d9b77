/** An open stream: what it has to do next. It waits without a timer of its own; `Followers` wakes it. */
import type { ArrivalPage, ArrivalPosition } from '../../../../events/log/event-log.ts'
import type { LogDomain } from '../../../../events/log/log-query.ts'
import type { Slots } from '../../../../lib/turns/slots.ts'

/** A position, and when it was asked for. */
export interface TakenPosition {
  readonly position: ArrivalPosition
  readonly takenAtMs: number
  /** How many announcements there had been when it was known. */
  readonly announcements: number
}

export type Step = 'read' | 'heartbeat' | 'end'

export class Follower {
  readonly #lookUpDomains: () => Promise<readonly LogDomain[]>
  readonly #slots: Pick<Slots, 'take'>
  /** Something may have arrived since the last read. */
  #isBehind = true
  #isHeartbeatDue = false
  #ended: { readonly error?: unknown } | undefined
  #wake = () => {}
  #readAtMs = 0
  #spokenAtMs = performance.now()

  /** `slots`: of the reads of all streams of the tenant. */
  constructor(lookUpDomains: () => Promise<readonly LogDomain[]>, slots: Pick<Slots, 'take'>) {
    this.#lookUpDomains = lookUpDomains
    this.#slots = slots
  }

  /** When something was last sent. */
  get spokenAtMs(): number {
    return this.#spokenAtMs
  }

  arrive(): void {
    this.#isBehind = true
    this.#wake()
  }

  beat(): void {
    this.#isHeartbeatDue = true
    this.#wake()
  }

  end(error?: unknown): void {
    this.#ended ??= { error }
    this.#wake()
  }

  /** Resolves when there is something to do. Rejects if it was ended by an error. */
  async next(): Promise<Step> {
    for (;;) {
      if (this.#ended?.error !== undefined) throw new Error('the stream cannot continue', { cause: this.#ended.error })
      if (this.#ended) return 'end'
      if (this.#isHeartbeatDue) {
        this.#speak()
        return 'heartbeat'
      }
      if (this.#isBehind) return 'read'
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  /** Reads what has arrived; events of a domain are found even if it was added while reading. */
  async read(list: (domains: readonly LogDomain[]) => Promise<ArrivalPage>): Promise<ArrivalPage> {
    using _slot = await this.#slots.take()
    for (;;) {
      const domains = await this.#lookUpDomains()
      // What was announced before is stored, and found by this read.
      this.#isBehind = false
      const page = await list(domains)
      this.#readAtMs = performance.now()
      if (domains !== (await this.#lookUpDomains())) continue
      if (page.hasMore) this.#isBehind = true
      if (page.events.length > 0) this.#speak()
      return page
    }
  }

  /**
   * The later position of the two, if nothing for this stream has arrived between them: all arrivals before `settled` have been
   * announced, and the domains were looked up since.
   */
  moveOn(after: ArrivalPosition, settled: TakenPosition | undefined): ArrivalPosition {
    const hasNothingBetween = !this.#isBehind && settled !== undefined && settled.takenAtMs > this.#readAtMs
    return hasNothingBetween ? settled.position : after
  }

  #speak(): void {
    this.#isHeartbeatDue = false
    this.#spokenAtMs = performance.now()
  }
}
