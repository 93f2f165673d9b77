/**
 * How many events each tenant with a quota has sent today (UTC). Counted in memory; a count that is not known, after a start
 * or a new quota, begins with the stored events of the day. If other servers store events, too, the stored ones are counted
 * again from time to time: a quota can be exceeded by what they store meanwhile.
 */
import type { DomainStore } from '../../domains/domain-store.ts'
import type { Clock } from '../../lib/clock.ts'
import type { KeyStore } from '../../tenants/key-store.ts'

const DAY_MS = 86_400_000
const HOURS_PER_DAY = 24

export interface EventQuotasDeps {
  readonly keys: Pick<KeyStore, 'findTenant'>
  readonly domains: Pick<DomainStore, 'listNames'>
  /** Stored events of these domains by their own time, in hours since 1970, the last excluded. */
  readonly countEvents: (domainNumbers: readonly number[], fromHour: number, toHour: number) => Promise<number>
  readonly clock: Clock
  /** After this time a count is compared with what is stored. Absent: only this server stores events. */
  readonly recountMs?: number
}

/** The count of one tenant on one day. To check and to count without waiting in between is atomic. */
export interface DayCount {
  used: number
}

interface KeptCount {
  readonly day: DayCount
  /** The time after which it is compared with what is stored. */
  recountAtMs: number
}

export interface Allowance {
  readonly quota: number
  readonly day: DayCount
}

export class EventQuotas {
  readonly #deps: EventQuotasDeps
  /** Days since 1970. */
  #today = Number.NaN
  /** By tenant, of today, and only of tenants with a quota. */
  readonly #counts = new Map<string, Promise<KeptCount>>()

  constructor(deps: EventQuotasDeps) {
    this.#deps = deps
  }

  /** Undefined if the tenant has no quota of events. */
  async find(tenantId: string): Promise<Allowance | undefined> {
    const quota = (await this.#deps.keys.findTenant(tenantId))?.quotas?.eventsPerDay
    if (quota !== undefined) {
      const kept = await this.#countOf(tenantId)
      if (this.#deps.clock() >= kept.recountAtMs) void this.#recount(tenantId, kept)
      return { quota, day: kept.day }
    }
    // Its events are not counted from now on, so that the count would be too low for a later quota.
    this.#counts.delete(tenantId)
    return undefined
  }

  /** Until the next UTC midnight. */
  get secondsLeft(): number {
    return Math.ceil((DAY_MS - (this.#deps.clock() % DAY_MS)) / 1000)
  }

  #countOf(tenantId: string): Promise<KeptCount> {
    const today = Math.floor(this.#deps.clock() / DAY_MS)
    if (today !== this.#today) this.#counts.clear()
    this.#today = today
    const known = this.#counts.get(tenantId)
    if (known) return known
    const count = this.#countStored(tenantId, today)
    this.#counts.set(tenantId, count)
    // Storage may answer the next time.
    count.catch(() => this.#counts.get(tenantId) === count && this.#counts.delete(tenantId))
    return count
  }

  async #countStored(tenantId: string, today: number): Promise<KeptCount> {
    const { clock, recountMs = Number.POSITIVE_INFINITY } = this.#deps
    return { day: { used: await this.#readCount(tenantId, today) }, recountAtMs: clock() + recountMs }
  }

  /** Never downwards: what this server has counted may be on its way. No request waits for it; a failure leaves the count. */
  async #recount(tenantId: string, kept: KeptCount): Promise<void> {
    const { clock, recountMs = Number.POSITIVE_INFINITY } = this.#deps
    kept.recountAtMs = clock() + recountMs
    const used = await this.#readCount(tenantId, this.#today).catch(() => 0)
    kept.day.used = Math.max(kept.day.used, used)
  }

  async #readCount(tenantId: string, today: number): Promise<number> {
    const numbers = (await this.#deps.domains.listNames(tenantId)).map(({ number }) => number)
    const fromHour = today * HOURS_PER_DAY
    return this.#deps.countEvents(numbers, fromHour, fromHour + HOURS_PER_DAY)
  }
}
