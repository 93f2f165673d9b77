/** Limits the concurrent long responses (exports, streams), per tenant and in total. */
import { AppError } from '../../../lib/app-error.ts'

interface PlaceLimits {
  readonly perTenant: number
  readonly altogether: number
}

export class TenantPlaces {
  readonly #what: string
  readonly #limits: PlaceLimits
  readonly #taken = new Set<{ readonly tenantId: string }>()

  /** `what`: in the plural, for the refusal. */
  constructor(what: string, limits: PlaceLimits) {
    this.#what = what
    this.#limits = limits
  }

  /** Dispose of the result when done. Throws AppError `overloaded`. */
  take(tenantId: string): Disposable {
    const ofTenant = [...this.#taken].filter((place) => place.tenantId === tenantId)
    if (ofTenant.length >= this.#limits.perTenant || this.#taken.size >= this.#limits.altogether) {
      throw new AppError('overloaded', `Too many ${this.#what} are open; close one or retry later.`)
    }
    const place = { tenantId, [Symbol.dispose]: () => void this.#taken.delete(place) }
    this.#taken.add(place)
    return place
  }
}
