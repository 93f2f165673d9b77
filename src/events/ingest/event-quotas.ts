/**
 * How many events each tenant with a quota has sent today (UTC). Counted in memory; a count that is not known, after a start
 * or a new quota, begins with the stored events of the day.
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
}

/** The count of one tenant on one day. To check and to count without waiting in between is atomic. */
export interface DayCount {
  used: number
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
  readonly #counts = new Map<string, Promise<DayCount>>()

  constructor(deps: EventQuotasDeps) {
    this.#deps = deps
  }

  /** Undefined if the tenant has no quota of events. */
  async find(tenantId: string): Promise<Allowance | undefined> {
    const quota = (await this.#deps.keys.findTenant(tenantId))?.quotas?.eventsPerDay
    if (quota !== undefined) return { quota, day: await this.#countOf(tenantId) }
    // Its events are not counted from now on, so that the count would be too low for a later quota.
    this.#counts.delete(tenantId)
    return undefined
  }

  /** Until the next UTC midnight. */
  get secondsLeft(): number {
    return Math.ceil((DAY_MS - (this.#deps.clock() % DAY_MS)) / 1000)
  }

  #countOf(tenantId: string): Promise<DayCount> {
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

  async #countStored(tenantId: string, today: number): Promise<DayCount> {
    const numbers = (await this.#deps.domains.listNames(tenantId)).map(({ number }) => number)
    const fromHour = today * HOURS_PER_DAY
    return { used: await this.#deps.countEvents(numbers, fromHour, fromHour + HOURS_PER_DAY) }
  }
}
