/** Tells the listeners of all servers which domains have new events. */
import type { ArrivalListener } from '../../../events/log/event-log.ts'
import { NAMED_DOMAINS_MAX } from '../../postgres/batches/batch.ts'
import type { Announcement } from '../../postgres/batches/held-shard.ts'
import { Notices } from '../../postgres/database/notices.ts'
import type { Postgres } from '../../postgres/database/postgres.ts'

const CHANNEL = 'envelog_arrival'

export class ArrivalNotices {
  readonly #notices: Notices
  readonly #listeners = new Set<ArrivalListener>()

  constructor(db: Postgres) {
    this.#notices = new Notices(db, {
      channel: CHANNEL,
      onNotice: (text) => this.tell(text === '' ? undefined : new Set(text.split(' ').map(Number))),
      // Notices may have been lost, of any domain.
      onGap: () => this.tell(undefined),
    })
  }

  open(): Promise<void> {
    return this.#notices.open()
  }

  onArrival(listener: ArrivalListener): Disposable {
    // Each call has an entry of its own, also with the same function.
    const own: ArrivalListener = (domainNumbers) => listener(domainNumbers)
    this.#listeners.add(own)
    return { [Symbol.dispose]: () => void this.#listeners.delete(own) }
  }

  /** The notice to the other servers, sent by the transaction that finishes a batch. */
  announcementOf(domainNumbers: ReadonlySet<number> | undefined): Announcement {
    const isNamed = domainNumbers !== undefined && domainNumbers.size <= NAMED_DOMAINS_MAX
    return { channel: CHANNEL, text: this.#notices.sign(isNamed ? [...domainNumbers].join(' ') : '') }
  }

  /** The listeners of this server. */
  tell(domainNumbers: ReadonlySet<number> | undefined): void {
    for (const listener of this.#listeners) listener(domainNumbers)
  }

  close(): void {
    this.#listeners.clear()
    this.#notices.close()
  }
}
