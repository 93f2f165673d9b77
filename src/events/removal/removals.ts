/**
 * Use case: removes tenants, domains and recipients. A tenant or domain disappears at once; the rest is a job that is stored, continues step
 * by step while the server runs, and is resumed at the next start.
 */
import { randomUUIDv7 } from 'node:crypto'
import type { Domain } from '../../domains/domain.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Clock } from '../../lib/clock.ts'
import type { QuarantineStore } from '../ingest/quarantine-store.ts'
import type { Erasure, EventLog } from '../log/event-log.ts'
import { digestOf, type NewRemoval, type Removal, type RemovalResult } from './removal.ts'
import type { RemovalStore } from './removal-store.ts'

export interface RemovalsDeps {
  readonly store: RemovalStore
  readonly log: Pick<EventLog, 'erase'>
  readonly quarantine: Pick<QuarantineStore, 'removeNext'>
  /** Removes saved searches for the address. */
  readonly eraseViews: (address: string) => Promise<unknown>
  /** Removes opens and clicks to the address that are not in the log yet; returns how many. */
  readonly eraseHits: (address: string) => Promise<number>
  readonly clock: Clock
  /** One server does it for all. Absent: there is only this one. */
  readonly lease?: { claim(): Promise<boolean>; release(): Promise<void> }
  /** Resolves after the time, or when the signal aborts. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
  /** Called before a removal is marked as finished; again if that is interrupted. */
  readonly onFinished: (removal: Removal) => Promise<void>
  /** It is repeated. */
  readonly onFailure: (removal: Removal | undefined, error: unknown) => void
}

/** Jobs that take turns: one that has to wait does not keep the others. */
const JOBS_AT_ONCE = 8
const UNFINISHED_MAX = 1000
const WAIT_MS = 5000
/** Such as a full disk. */
const RETRY_MS = 30_000
const ADDRESS_LENGTH_MAX = 1000

type Outcome = 'advanced' | 'waiting' | 'failed'

export class Removals {
  readonly #deps: RemovalsDeps
  readonly #stopping = new AbortController()
  #running: Promise<void> | undefined
  /** A job was added while they were running. */
  #isDue = false
  #isHolder = false

  constructor(deps: RemovalsDeps) {
    this.#deps = deps
  }

  /** Throws AppError `not_found`. */
  async removeTenant(tenantId: string, requestedBy: string): Promise<Removal> {
    return this.#begin(await this.#deps.store.removeTenant(tenantId, this.#newRemoval(requestedBy)), 'Tenant not found')
  }

  /** Throws AppError `not_found`. */
  async removeDomain({ id }: Pick<Domain, 'id'>, requestedBy: string): Promise<Removal> {
    return this.#begin(await this.#deps.store.removeDomain(id, this.#newRemoval(requestedBy)), 'Domain not found')
  }

  /** Throws AppError `invalid_request`, or `overloaded` if very many are waiting. */
  async eraseRecipient(address: string, requestedBy: string): Promise<Removal> {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
    if (address.length > ADDRESS_LENGTH_MAX || !address.includes('@') || /[\x00-\x20\x7f]/.test(address)) {
      throw new AppError('invalid_request', 'address: must be an email address, such as anna@example.org')
    }
    if ((await this.#deps.store.listUnfinished()).length >= UNFINISHED_MAX) {
      throw new AppError('overloaded', `${UNFINISHED_MAX} removals are waiting; send the request again later.`)
    }
    const removal = this.#newRemoval(requestedBy)
    const digest = digestOf(removal.id, address)
    return this.#begin(await this.#deps.store.addRecipient(address, digest, removal), 'Address not found')
  }

  /** Continues with what is left to do. */
  resume(): void {
    this.#isDue = true
    if (this.#stopping.signal.aborted) return
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
      if (this.#isDue) this.resume()
    })
  }

  /** Resolves when the current step has ended; the next start continues. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
    await this.#release()
  }

  #newRemoval(requestedBy: string): NewRemoval {
    return { id: randomUUIDv7(), requestedBy, requestedAtMs: this.#deps.clock() }
  }

  #begin(removal: Removal | undefined, ifMissing: string): Removal {
    if (!removal) throw new AppError('not_found', ifMissing)
    this.resume()
    return removal
  }

  async #run(): Promise<void> {
    const { store, pause, onFailure } = this.#deps
    const { signal } = this.#stopping
    while (!signal.aborted) {
      this.#isDue = false
      const outcomes = new Set<Outcome>()
      try {
        if ((await store.listUnfinished()).length === 0) return await this.#release()
        if (await this.#claim()) {
          // Again: another server may have finished them before the claim.
          for (const job of (await store.listUnfinished()).slice(0, JOBS_AT_ONCE)) {
            if (signal.aborted) return
            outcomes.add(await this.#advance(job))
          }
        }
      } catch (error) {
        onFailure(undefined, error)
        outcomes.add('failed')
      }
      if (!outcomes.has('advanced')) await pause(outcomes.has('failed') ? RETRY_MS : WAIT_MS, signal)
    }
  }

  async #claim(): Promise<boolean> {
    const { lease } = this.#deps
    this.#isHolder = lease === undefined || (await lease.claim())
    return this.#isHolder
  }

  /** The other servers need not wait until it has expired. If it fails, they do. */
  async #release(): Promise<void> {
    if (this.#isHolder) await this.#deps.lease?.release().catch(() => undefined)
    this.#isHolder = false
  }

  async #advance(job: Removal): Promise<Outcome> {
    try {
      return (await this.#step(job)) ? 'advanced' : 'waiting'
    } catch (error) {
      this.#deps.onFailure(job, error)
      return 'failed'
    }
  }

  /** False if nothing could be done at the moment. */
  async #step(job: Removal): Promise<boolean> {
    const { store, eraseHits, clock, onFinished } = this.#deps
    const { id, stage, result } = job
    switch (stage) {
      case 'hits': {
        const hits = await eraseHits(job.address ?? '')
        await store.save(id, { stage: 'events', result: { ...result, hits: result.hits + hits } })
        return true
      }
      case 'events':
        return this.#eraseEvents(job)
      case 'quarantine':
        return this.#clearQuarantine(job)
      case 'scrub': {
        if (!(await store.scrub())) return false
        const nowMs = clock()
        await onFinished({ ...job, finishedAtMs: nowMs })
        await store.finish(id, nowMs)
        return true
      }
    }
  }

  async #eraseEvents({ id, position, result, ...job }: Removal): Promise<boolean> {
    const step = await this.#deps.log.erase(toErasure(job), position)
    const { removed, unit, problem, deletedFiles = [], next, isWaiting = false } = step
    const changed: RemovalResult = {
      ...result,
      events: result.events + removed,
      units: unit === undefined || removed === 0 ? result.units : [...new Set([...result.units, unit])],
      deletedFiles: [...new Set([...result.deletedFiles, ...deletedFiles])],
      problems: unit === undefined || problem === undefined ? result.problems : [...result.problems, { unit, problem }],
    }
    const stage = next === undefined ? 'quarantine' : 'events'
    await this.#deps.store.save(id, { stage, result: changed, ...(next !== undefined && { position: next }) })
    return !isWaiting
  }

  async #clearQuarantine({ id, kind, object, address, position, result }: Removal): Promise<boolean> {
    const filter = kind === 'tenant' ? { tenantId: object } : { text: address }
    const isNeeded = kind === 'tenant' || address !== undefined
    const { quarantine, eraseViews, store } = this.#deps
    // Once, not at every step of the quarantine.
    if (address !== undefined && position === undefined) await eraseViews(address)
    const step = isNeeded ? await quarantine.removeNext(filter, Number(position ?? 0)) : { removed: 0 }
    const changed = { ...result, quarantined: result.quarantined + step.removed }
    const isLast = !('next' in step) || step.next === undefined
    await store.save(id, {
      ...(isLast ? { stage: 'scrub' } : { stage: 'quarantine', position: String(step.next) }),
      result: changed,
    })
    return true
  }
}

function toErasure({
  kind,
  address = '',
  domainNumbers,
}: Pick<Removal, 'kind' | 'address' | 'domainNumbers'>): Erasure {
  return kind === 'recipient' ? { what: 'recipient', address } : { what: 'domains', domainNumbers }
}
