/** Names the days that a response lacks because they are set aside: an incomplete answer must not look like a complete one. */
import type { FastifyReply } from 'fastify'
import type { LogWindow } from '../../events/log/log-query.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Storage } from '../../storage/storage.ts'

export const INCOMPLETE_HEADER = 'Envelog-Incomplete'

/** A header must stay short; with so many days set aside, the operator has been called already. */
const NAMED_MAX = 100
const DAY_SECONDS = 86_400

type Troubles = Pick<Storage, 'capabilities'>

/** To be created before the read begins: a day that is taken back meanwhile may be missing all the same. */
export class MissingDays {
  readonly #storage: Troubles
  readonly #before: readonly string[]

  constructor(storage: Troubles) {
    this.#storage = storage
    this.#before = listDays(storage)
  }

  /** Adds the header if a day of the window is missing; without a window, if any day is. To be called after the read. */
  nameIn<Reply extends FastifyReply>(reply: Reply, window?: LogWindow): Reply {
    const days = this.#list(window)
    if (days.length > 0) reply.header(INCOMPLETE_HEADER.toLowerCase(), days.slice(0, NAMED_MAX).join(', '))
    return reply
  }

  /**
   * For a response whose header was sent: throws as soon as another day of the window is missing, so that the connection
   * breaks and the client sees that it has not got everything.
   */
  async *whileComplete<T>(pages: AsyncIterable<T>, window?: LogWindow): AsyncGenerator<T> {
    const named = this.#list(window)
    for await (const page of pages) {
      const [missing] = this.#list(window).filter((day) => !named.includes(day))
      if (missing !== undefined) {
        throw new AppError(
          'storage_unavailable',
          `${missing} was set aside while the response was sent; request it again`,
        )
      }
      yield page
    }
  }

  #list(window?: LogWindow): readonly string[] {
    const days = [...new Set([...this.#before, ...listDays(this.#storage)])].sort()
    return window ? days.filter((day) => isInside(day, window)) : days
  }
}

function listDays({ capabilities }: Troubles): readonly string[] {
  return capabilities.troubles?.list().map(({ day }) => day) ?? []
}

function isInside(day: string, { startTimestamp, endTimestamp }: LogWindow): boolean {
  const start = Date.parse(day) / 1000
  return start <= endTimestamp && start + DAY_SECONDS > startTimestamp
}
