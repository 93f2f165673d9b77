/** Finds the domain of each event, and refuses events outside of the retention period. */
import type { Domain } from '../../domains/domain.ts'
import type { DomainStore } from '../../domains/domain-store.ts'
import { findProvenDomain } from '../../domains/require-domain.ts'
import { AppError } from '../../lib/app-error.ts'
import { type Clock, exactTime, type KnownTime, toIsoTime } from '../../lib/clock.ts'
import { Recent } from '../../lib/recent.ts'
import type { EmailEvent, EventExtension } from '../event.ts'
import type { AttributedEvent } from '../log/event-log.ts'
import type { ToldEvent } from './connector.ts'
import { parseEvent } from './parse-event.ts'
import { parseExtension } from './parse-extension.ts'

export interface AttributionDependencies {
  readonly domains: DomainStore
  readonly clock: Clock
  /** Default: the clock is right. */
  readonly knownTime?: KnownTime
  readonly retentionMs: number
  /** The wire name of `service_message_id` (ENVELOG_BRAND). */
  readonly serviceMessageIdField: string
}

export interface OwnedEvent extends AttributedEvent {
  readonly tenantId: string
  readonly isDeactivated?: boolean
}

interface KnownDomain extends Pick<Domain, 'name' | 'number' | 'tenantId'> {
  readonly isDeactivated: boolean
}

/** Clocks of mail servers go wrong; a day ahead is a wrong clock, not a time zone. */
const FUTURE_MS_MAX = 24 * 3600 * 1000

const KNOWN_MAX = 10_000

/** Domains are looked up again after this long: one that was removed or deactivated is not accepted then. */
const KNOWN_MS = 1000

/** By the name in events. */
const knownDomains = new WeakMap<DomainStore, { readonly domains: Recent<KnownDomain>; readonly sinceMs: number }>()

function knownDomainsOf(store: DomainStore, nowMs: number): Recent<KnownDomain> {
  const known = knownDomains.get(store)
  if (known && Math.abs(nowMs - known.sinceMs) < KNOWN_MS) return known.domains
  const domains = new Recent<KnownDomain>(KNOWN_MAX)
  knownDomains.set(store, { domains, sinceMs: nowMs })
  return domains
}

export class Attribution {
  readonly #dependencies: AttributionDependencies
  readonly #oldestMs: number
  readonly #newestMs: number
  readonly #known: Recent<KnownDomain>
  readonly #unknownNames = new Set<string>()
  readonly #senderDomains = new Map<string, KnownDomain | undefined>()
  readonly #tenantId: string | undefined

  /** With a tenant, the domains of all others are unknown. */
  constructor(dependencies: AttributionDependencies, tenantId?: string) {
    this.#dependencies = dependencies
    this.#tenantId = tenantId
    // By what retention has removed: a wrong clock must not refuse events with the true time.
    const { clock, knownTime = exactTime(clock), retentionMs } = dependencies
    this.#oldestMs = knownTime.earliestMs - retentionMs
    this.#newestMs = knownTime.latestMs + FUTURE_MS_MAX
    this.#known = knownDomainsOf(dependencies.domains, clock())
  }

  /** Undefined for other people's mail. Not a promise if the domain is cached: that would cost more than the look-up. */
  attribute(reported: ToldEvent): OwnedEvent | undefined | Promise<OwnedEvent | undefined> {
    if (reported.senderDomains !== undefined) return this.#attributeToSender(reported, reported.senderDomains)
    const event = this.#parse(reported.event)
    const domain = this.#findKnown(event.domain_name)
    const { extension } = reported
    return domain ? toOwned(domain, event, extension) : this.#attributeByName(event, extension)
  }

  async #attributeByName(event: EmailEvent, extension?: EventExtension): Promise<OwnedEvent> {
    const name = event.domain_name
    return toOwned(requireDomain(await this.#findDomain(name), name), event, extension)
  }

  async #attributeToSender(
    { event: fields, ifUnknown, extension }: ToldEvent,
    names: readonly string[],
  ): Promise<OwnedEvent | undefined> {
    const found = await this.#findSenderDomain(names)
    if (!found && ifUnknown === 'skip') return undefined
    const name = found?.name ?? names[0] ?? ''
    const event = this.#parse({ ...(fields as object), domain_name: name })
    return toOwned(requireDomain(found, name), event, extension)
  }

  #parse(fields: unknown): EmailEvent {
    const event = parseEvent(fields, this.#dependencies.serviceMessageIdField)
    this.#requireKeptTime(event.timestamp * 1000)
    return event
  }

  #requireKeptTime(timeMs: number): void {
    if (timeMs < this.#oldestMs) {
      const since = toIsoTime(this.#oldestMs)
      throw new AppError('invalid_payload', `timestamp: older than the retention period (since ${since})`)
    }
    if (timeMs > this.#newestMs) throw new AppError('invalid_payload', 'timestamp: more than a day in the future')
  }

  async #findDomain(name: string): Promise<KnownDomain | undefined> {
    const known = this.#findKnown(name)
    if (known || this.#unknownNames.has(name)) return known
    const found = await findProvenDomain(this.#dependencies.domains, name)
    if (found) {
      const { number, tenantId } = found
      const isDeactivated = found.deactivatedAtMs !== undefined
      this.#known.keep(name, { name: found.name, number, tenantId, isDeactivated })
    }
    const own = this.#findKnown(name)
    if (!own) this.#unknownNames.add(name)
    return own
  }

  #findKnown(name: string): KnownDomain | undefined {
    const found = this.#known.find(name)
    return found && (this.#tenantId === undefined || this.#tenantId === found.tenantId) ? found : undefined
  }

  async #findSenderDomain(names: readonly string[]): Promise<KnownDomain | undefined> {
    const key = names.join(' ')
    if (this.#senderDomains.has(key)) return this.#senderDomains.get(key)
    const found = await this.#findFirst(names)
    this.#senderDomains.set(key, found)
    return found
  }

  /** Of each name the longest part that is a domain: mail of bounces.news.acme.com is news.acme.com's before acme.com's. */
  async #findFirst(names: readonly string[]): Promise<KnownDomain | undefined> {
    for (const name of names) {
      for (let part = name; part.includes('.'); part = part.slice(part.indexOf('.') + 1)) {
        const domain = await this.#findDomain(part)
        if (domain) return domain
      }
    }
    return undefined
  }
}

function toOwned(
  { number, tenantId, isDeactivated }: KnownDomain,
  event: EmailEvent,
  told: EventExtension | undefined,
): OwnedEvent {
  const owned = { domainNumber: number, event, tenantId }
  if (told === undefined && !isDeactivated) return owned
  const extension = parseExtension(told, event.timestamp)
  return { ...owned, ...(extension && { extension }), ...(isDeactivated && { isDeactivated }) }
}

function requireDomain(domain: KnownDomain | undefined, name: string): KnownDomain {
  if (domain) return domain
  throw new AppError('invalid_payload', `domain_name: ${JSON.stringify(name)} is not a known domain`)
}
