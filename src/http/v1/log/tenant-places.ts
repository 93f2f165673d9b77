/** Limits the concurrent long responses (exports, streams), per tenant and in total. */
import { AppError } from '../../../lib/app-error.ts'

interface PlaceLimits {
  readonly perTenant: number
  readonly altogether: number
}

export class TenantPlaces {
  readonly #what: string
  readonly #limits: PlaceLimits
  /** By tenant; without those that have none. */
  readonly #taken = new Map<string, number>()
  #altogether = 0

  /** `what`: in the plural, for the refusal. */
  constructor(what: string, limits: PlaceLimits) {
    this.#what = what
    this.#limits = limits
  }

  /** Dispose of the result when done. Throws AppError `overloaded`. */
  take(tenantId: string): Disposable {
    const ofTenant = this.#taken.get(tenantId) ?? 0
    if (ofTenant >= this.#limits.perTenant || this.#altogether >= this.#limits.altogether) {
      throw new AppError('overloaded', `Too many ${this.#what} are open; close one or retry later.`)
    }
    this.#add(tenantId, 1)
    let isTaken = true
    return {
      [Symbol.dispose]: () => {
        if (isTaken) this.#add(tenantId, -1)
        isTaken = false
      },
    }
  }

  #add(tenantId: string, places: 1 | -1): void {
    this.#altogether += places
    const left = (this.#taken.get(tenantId) ?? 0) + places
    if (left === 0) this.#taken.delete(tenantId)
    else this.#taken.set(tenantId, left)
  }
}
