/** The memory limit that all request bodies share. A single key can use only a part of it. */
import { AppError } from '../../lib/app-error.ts'
import { SERVER_LIMITS } from '../server/server-limits.ts'

/** The memory of one body. */
export interface Loan {
  /** Throws AppError `overloaded`. */
  reserve(bytes: number): void
  /** Returns a part early. */
  release(bytes: number): void
}

export class BodyMemory {
  readonly #bytesMax: number
  readonly #bytesMaxPerKey: number
  /** Only of keys that use some. */
  readonly #bytesOf = new Map<string, number>()
  #bytes = 0

  constructor(bytesMax: number = SERVER_LIMITS.bodyMemoryBytes, bytesMaxPerKey = bytesMax / 2) {
    this.#bytesMax = bytesMax
    this.#bytesMaxPerKey = bytesMaxPerKey
  }

  /** Memory that `use` reserves is released when it ends. */
  async lend<T>(keyId: string, use: (loan: Loan) => Promise<T>): Promise<T> {
    let reserved = 0
    const change = (bytes: number) => {
      reserved += bytes
      this.#change(keyId, bytes)
    }
    const reserve = (bytes: number) => {
      this.#requireRoom(keyId, bytes)
      change(bytes)
    }
    try {
      return await use({ reserve, release: (bytes) => change(-bytes) })
    } finally {
      change(-reserved)
    }
  }

  #requireRoom(keyId: string, bytes: number): void {
    if (this.#bytes + bytes > this.#bytesMax)
      throw new AppError('overloaded', 'Too many large requests at once; retry later')
    if ((this.#bytesOf.get(keyId) ?? 0) + bytes > this.#bytesMaxPerKey)
      throw new AppError('overloaded', 'Too many large requests with this key at once; retry later')
  }

  #change(keyId: string, bytes: number): void {
    this.#bytes += bytes
    const used = (this.#bytesOf.get(keyId) ?? 0) + bytes
    if (used === 0) this.#bytesOf.delete(keyId)
    else this.#bytesOf.set(keyId, used)
  }
}
