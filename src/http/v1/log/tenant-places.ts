/** Limits the concurrent long responses (exports, streams), per tenant and in total. */
import { AppError } from '../../../lib/app-error.ts'

export class TenantPlaces {
  readonly #perTenant: number
  readonly #altogether: number
  readonly #what: string
  readonly #taken = new Map<string, number>()
  #total = 0

  /** `what`: in the plural, for the refusal. */
  constructor(what: string, { perTenant, altogether }: { readonly perTenant: number; readonly altogether: number }) {
    this.#what = what
    this.#perTenant = perTenant
    this.#altogether = altogether
  }

  /** Dispose of the result when done. Throws AppError `overloaded`. */
  take(tenantId: string): Disposable {
    const taken = this.#taken.get(tenantId) ?? 0
    if (taken >= this.#perTenant || this.#total >= this.#altogether) {
      throw new AppError('overloaded', `Too many ${this.#what} are open; close one or retry later.`)
    }
    this.#set(tenantId, taken + 1)
    this.#total += 1
    let isTaken = true
    return {
      [Symbol.dispose]: () => {
        if (!isTaken) return
        isTaken = false
        this.#set(tenantId, (this.#taken.get(tenantId) ?? 1) - 1)
        this.#total -= 1
      },
    }
  }

  #set(tenantId: string, taken: number): void {
    if (taken === 0) this.#taken.delete(tenantId)
    else this.#taken.set(tenantId, taken)
  }
}
