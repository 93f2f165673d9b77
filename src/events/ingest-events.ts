/** Use case: records in, events in the log; what cannot become an event goes to the quarantine with its reason. */
import type { Domain } from '../domains/domain.ts'
import { normalizeDomainName } from '../domains/domain-name.ts'
import type { DomainStore } from '../domains/domain-store.ts'
import { AppError } from '../lib/app-error.ts'
import { type Clock, toIsoTime } from '../lib/clock.ts'
import { SharedTurns } from '../lib/shared-turns.ts'
import type { Connector, ToldEvent } from './connector.ts'
import type { EmailEvent } from './event.ts'
import type { AttributedEvent, EventStore } from './event-store.ts'
import { parseEvent } from './parse-event.ts'
import type { QuarantineStore, RejectedRecord } from './quarantine-store.ts'
import type { RawRecord } from './raw-record.ts'
import { splitRecords } from './split-records.ts'

export interface IngestDependencies {
  readonly events: EventStore
  readonly domains: DomainStore
  readonly quarantine: QuarantineStore
  readonly clock: Clock
  readonly retentionMs: number
  /** The wire name of `service_message_id` (ENVELOG_BRAND). */
  readonly serviceMessageIdField: string
}

export interface IngestResult {
  readonly stored: number
  readonly duplicates: number
  /** By the record's place in the request. */
  readonly rejected: readonly { readonly index: number; readonly error: string }[]
}

/** About a millisecond: however many requests bring records at once, whoever asks for a page waits for so many of them. */
const RECORDS_PER_TURN = 100
/** Of all requests together. */
const turns = new SharedTurns(RECORDS_PER_TURN)
/** A guess before a body is looked at; events are longer. */
const RECORD_BYTES = 512

/** Clocks of mail servers go wrong; a day ahead is a wrong clock, not a time zone. */
const FUTURE_MS_MAX = 24 * 3600 * 1000

/** The records of a request body. Throws what `splitRecords` throws, and does what `ingestRecords` does. */
export async function ingestBody(
  dependencies: IngestDependencies,
  connector: Connector,
  body: Uint8Array,
): Promise<IngestResult> {
  await turns.take(Math.min(RECORDS_PER_TURN, Math.ceil(body.length / RECORD_BYTES)))
  return ingest(dependencies, connector, splitRecords(body))
}

/**
 * Resolves when everything it counts is durable. When it rejects (storage cannot commit, or too much is waiting), the same
 * records can be sent again: what was stored is then a duplicate.
 */
export async function ingestRecords(
  dependencies: IngestDependencies,
  connector: Connector,
  records: readonly RawRecord[],
): Promise<IngestResult> {
  await turns.take(Math.min(RECORDS_PER_TURN, records.length))
  return ingest(dependencies, connector, records)
}

/** Begins with a turn for the first records. */
async function ingest(
  dependencies: IngestDependencies,
  connector: Connector,
  records: readonly RawRecord[],
): Promise<IngestResult> {
  const attribution = new Attribution(dependencies)
  const accepted: AttributedEvent[] = []
  const recordOf: number[] = []
  const problems = new Map<number, string>()

  for (const [index, record] of records.entries()) {
    if (index > 0 && index % RECORDS_PER_TURN === 0)
      await turns.take(Math.min(RECORDS_PER_TURN, records.length - index))
    try {
      const attributed: AttributedEvent[] = []
      for (const told of toEvents(connector, record)) {
        const found = attribution.attribute(told)
        const event = found instanceof Promise ? await found : found
        if (event && told.isReport) await requireMessage(dependencies.events, accepted, event)
        if (event) attributed.push(event)
      }
      for (const event of attributed) {
        accepted.push(event)
        recordOf.push(index)
      }
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      problems.set(index, error.message)
    }
  }

  // The quarantine first: when the disk is full, nothing of the request is stored.
  await quarantine(dependencies, connector, records, problems)
  const appended =
    accepted.length > 0 ? await dependencies.events.append(accepted) : { stored: 0, duplicates: 0, expired: [] }
  await quarantineExpired()

  const rejected = [...problems].sort(([a], [b]) => a - b).map(([index, error]) => ({ index, error }))
  return { stored: appended.stored, duplicates: appended.duplicates, rejected }

  async function quarantineExpired(): Promise<void> {
    const expired = new Map<number, string>()
    for (const at of appended.expired)
      expired.set(recordOf[at] ?? 0, 'timestamp: the day was already removed by retention')
    await quarantine(dependencies, connector, records, expired)
    for (const [index, problem] of expired) problems.set(index, problem)
  }
}

/** A report is about a message that is in the log, or in the same request before it. */
async function requireMessage(
  events: EventStore,
  accepted: readonly AttributedEvent[],
  { domainNumber, event }: AttributedEvent,
): Promise<void> {
  const recipient = event.recipient.toLowerCase()
  const isSame = (other: EmailEvent) => other.id === event.id && other.recipient.toLowerCase() === recipient
  if (accepted.some((other) => other.domainNumber === domainNumber && isSame(other.event))) return
  const stored = await events.listByMessage(domainNumber, event.domain_name, event.id)
  if (stored.some((text) => isSame(JSON.parse(text) as EmailEvent))) return
  throw new AppError('invalid_payload', 'the report is about no message in the log')
}

function toEvents(connector: Connector, record: RawRecord): readonly ToldEvent[] {
  if (record.problem !== undefined) throw new AppError('invalid_payload', record.problem)
  return connector.toEvents(record.value)
}

async function quarantine(
  { quarantine, clock }: IngestDependencies,
  connector: Connector,
  records: readonly RawRecord[],
  problems: ReadonlyMap<number, string>,
): Promise<void> {
  if (problems.size === 0) return
  const rejected: RejectedRecord[] = []
  for (const [index, reason] of problems) {
    const payload = records[index]?.payload
    if (payload) rejected.push({ payload, connector: connector.name, reason })
  }
  await quarantine.add(rejected, clock())
}

/** Finds the domain of each event, asking the store once per name, and refuses times outside of what is kept. */
class Attribution {
  readonly #dependencies: IngestDependencies
  readonly #nowMs: number
  readonly #domains = new Map<string, Domain | undefined>()
  readonly #senderDomains = new Map<string, Domain | undefined>()

  constructor(dependencies: IngestDependencies) {
    this.#dependencies = dependencies
    this.#nowMs = dependencies.clock()
  }

  /** Undefined for what is somebody else's mail. No promise where the domain is known: it would cost more than all the rest. */
  attribute(told: ToldEvent): AttributedEvent | undefined | Promise<AttributedEvent | undefined> {
    if (told.senderDomains !== undefined) return this.#attributeToSender(told, told.senderDomains)
    const event = this.#parse(told.event)
    const domain = this.#domains.get(event.domain_name)
    return domain ? { domainNumber: domain.number, event } : this.#attributeByName(event)
  }

  async #attributeByName(event: EmailEvent): Promise<AttributedEvent> {
    const name = event.domain_name
    return { domainNumber: requireDomain(await this.#findDomain(name), name).number, event }
  }

  async #attributeToSender(
    { event: fields, ifUnknown, extension }: ToldEvent,
    names: readonly string[],
  ): Promise<AttributedEvent | undefined> {
    const found = await this.#findSenderDomain(names)
    if (!found && ifUnknown === 'skip') return undefined
    const name = found?.name ?? names[0] ?? ''
    const event = this.#parse({ ...(fields as object), domain_name: name })
    return { domainNumber: requireDomain(found, name).number, event, ...(extension && { extension }) }
  }

  #parse(fields: unknown): EmailEvent {
    const event = parseEvent(fields, this.#dependencies.serviceMessageIdField)
    this.#requireKeptTime(event.timestamp * 1000)
    return event
  }

  #requireKeptTime(timeMs: number): void {
    const oldestMs = this.#nowMs - this.#dependencies.retentionMs
    if (timeMs < oldestMs) {
      throw new AppError('invalid_payload', `timestamp: older than what is kept (since ${toIsoTime(oldestMs)})`)
    }
    if (timeMs > this.#nowMs + FUTURE_MS_MAX)
      throw new AppError('invalid_payload', 'timestamp: more than a day in the future')
  }

  async #findDomain(name: string): Promise<Domain | undefined> {
    if (this.#domains.has(name)) return this.#domains.get(name)
    const normalized = normalizeDomainName(name)
    const found = normalized === undefined ? undefined : await this.#dependencies.domains.findByName(normalized)
    this.#domains.set(name, found)
    return found
  }

  async #findSenderDomain(names: readonly string[]): Promise<Domain | undefined> {
    const key = names.join(' ')
    if (this.#senderDomains.has(key)) return this.#senderDomains.get(key)
    const found = await this.#findFirst(names)
    this.#senderDomains.set(key, found)
    return found
  }

  /** Of each name the longest part that is a domain: mail of bounces.news.acme.com is news.acme.com's before acme.com's. */
  async #findFirst(names: readonly string[]): Promise<Domain | undefined> {
    for (const name of names) {
      for (let part = name; part.includes('.'); part = part.slice(part.indexOf('.') + 1)) {
        const domain = await this.#findDomain(part)
        if (domain) return domain
      }
    }
    return undefined
  }
}

function requireDomain(domain: Domain | undefined, name: string): Domain {
  if (domain) return domain
  throw new AppError('invalid_payload', `domain_name: ${JSON.stringify(name)} is not a known domain`)
}
