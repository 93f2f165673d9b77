/**
 * All open streams, managed together, so that an idle one costs next to nothing: an arrival wakes only the streams that
 * follow its domain, and one timer checks keys and domains and sends the heartbeats.
 */
import type { Arrivals } from '../../../../events/log/event-log.ts'
import { SlotsByKey } from '../../../../lib/turns/slots-by-key.ts'
import { Turn } from '../../../../lib/turns/turn.ts'
import { type AskedDomains, type FindDomains, FollowedDomains } from './followed-domains.ts'
import { Follower, type TakenPosition } from './follower.ts'

const TIMES = {
  /** Interval for looking up domains and checking keys again. */
  roundMs: 1000,
  /** Proxies and browsers close idle connections. */
  heartbeatMs: 15_000,
  /** Far longer than from adding a domain to the next look-up. */
  settledAfterMs: 15_000,
}
/** A position may include the commit that is under way and will be announced next: the one after that is later than it. */
const ANNOUNCEMENTS_MIN = 2
/** One commit may wake all streams of a tenant; its other requests must not wait for them. */
const READS_PER_TENANT = 4

export interface Joining {
  readonly asked: AskedDomains
  /** Whether the key still holds, and the session. */
  readonly isAllowed: () => Promise<boolean>
}

export class Followers {
  readonly #arrivals: Pick<Arrivals, 'last' | 'onArrival'>
  readonly #domains: FollowedDomains<Follower>
  readonly #joined = new Map<Follower, Joining>()
  /** By tenant. */
  readonly #reads = new SlotsByKey({ runningMax: READS_PER_TENANT })
  readonly #times: typeof TIMES
  /** Present while there are streams. */
  #watch: Disposable | undefined
  #isBusy = false
  #announcements = 0
  #isClosed = false
  #taken: TakenPosition | undefined
  /** A position that idle streams can move on to. */
  settled: TakenPosition | undefined

  constructor(arrivals: Pick<Arrivals, 'last' | 'onArrival'>, findDomains: FindDomains, times = TIMES) {
    this.#arrivals = arrivals
    this.#times = times
    this.#domains = new FollowedDomains(findDomains, (follower) => follower.arrive())
  }

  /** Pass the follower to `leave` when its stream has ended. */
  join(joining: Joining): Follower {
    const { tenantId } = joining.asked
    const slots = { take: () => this.#reads.take(tenantId) }
    const follower: Follower = new Follower(() => this.#domains.lookUp(follower), slots)
    this.#domains.add(follower, joining.asked)
    this.#joined.set(follower, joining)
    this.#watch ??= this.#startWatch()
    if (this.#isClosed) follower.end()
    return follower
  }

  leave(follower: Follower): void {
    if (!this.#joined.delete(follower)) return
    follower.end()
    this.#domains.delete(follower)
    if (this.#joined.size > 0) return
    this.#watch?.[Symbol.dispose]()
    this.#watch = undefined
    this.#taken = undefined
    this.settled = undefined
  }

  /** Ends all streams, and those that join later at once. */
  close(): void {
    this.#isClosed = true
    this.#endAll()
  }

  #endAll(error?: unknown): void {
    for (const follower of this.#domains.streams) follower.end(error)
  }

  #startWatch(): Disposable {
    const listening = this.#arrivals.onArrival((domainNumbers) => {
      this.#announcements += 1
      const concerned = domainNumbers ? this.#domains.listStreams(domainNumbers) : this.#domains.streams
      for (const follower of concerned) follower.arrive()
    })
    const timer = setInterval(() => void this.#lookAfterAll(), this.#times.roundMs)
    timer.unref()
    return {
      [Symbol.dispose]() {
        listening[Symbol.dispose]()
        clearInterval(timer)
      },
    }
  }

  async #lookAfterAll(): Promise<void> {
    if (this.#isBusy) return
    this.#isBusy = true
    try {
      await this.#settle()
      for await (const { streams, error } of this.#domains.refresh())
        for (const follower of streams) follower.end(error)
      const turn = new Turn()
      for (const [follower, { isAllowed }] of this.#joined) {
        if (!(await isAllowed())) follower.end()
        else if (performance.now() - follower.spokenAtMs > this.#times.heartbeatMs) follower.beat()
        await turn.share()
      }
    } catch (error) {
      // Keys cannot be read: clients reconnect.
      this.#endAll(error)
    } finally {
      this.#isBusy = false
    }
  }

  async #settle(): Promise<void> {
    const [takenAtMs, taken] = [performance.now(), this.#taken]
    if (taken && this.#announcements - taken.announcements < ANNOUNCEMENTS_MIN) return
    if (taken && takenAtMs - taken.takenAtMs < this.#times.settledAfterMs) return
    // Not urgent: a storage that cannot be read ends the streams that need it.
    const position = await this.#arrivals.last().catch(() => undefined)
    if (position === undefined || this.#taken !== taken) return
    this.settled = taken
    this.#taken = { position, takenAtMs, announcements: this.#announcements }
  }
}
