/** Use case: stores the events of records; records that cannot be stored are quarantined with the reason. */
import { AppError } from '../../lib/app-error.ts'
import type { Steps } from '../../lib/text/json-scan.ts'
import { SharedTurns } from '../../lib/turns/shared-turns.ts'
import type { KeyStore } from '../../tenants/key-store.ts'
import type { AppendResult, AttributedEvent, EventLog } from '../log/event-log.ts'
import { findRecipientOfMessage } from '../log/message-recipients.ts'
import { PartlyStoredError } from '../log/partly-stored.ts'
import { applyQuotas } from './apply-quotas.ts'
import { Attribution, type AttributionDependencies, type OwnedEvent } from './attribution.ts'
import type { Connector, ToldEvent } from './connector.ts'
import type { EventQuotas } from './event-quotas.ts'
import type { Source } from './quarantine-room.ts'
import type { QuarantineStore, RejectedRecord } from './quarantine-store.ts'
import type { RawRecord } from './raw-record.ts'
import { findRefused, type Refusal } from './refuse-events.ts'
import { findRecords, withoutJson } from './split-records.ts'

/** Where records come from: whose share of the quarantine they use, and which tenant they must belong to. */
export type Origin = Pick<RejectedRecord, 'source' | 'tenantId'>

export interface IngestDependencies extends AttributionDependencies {
  readonly log: Pick<EventLog, 'append' | 'list'>
  readonly quarantine: QuarantineStore
  readonly keys: Pick<KeyStore, 'findTenant'>
  /** Absent for events that no key brought: they do not count. */
  readonly quotas?: EventQuotas
  /** Verifies the reference of a report, among the messages of the tenant if the origin has one. Absent where no source has one. */
  readonly tieEvent?: (told: ToldEvent, origin: Origin) => Promise<ToldEvent>
}

export interface IngestResult {
  readonly stored: number
  readonly duplicates: number
  /** By the record's index in the request. */
  readonly rejected: readonly { readonly index: number; readonly error: string }[]
  /** Records that are not about a message, or only about mail of other domains. Absent if there are none. */
  readonly skipped?: number
}

/** About a millisecond of work: a request for a page waits for this many records at most, however many requests ingest. */
const RECORDS_PER_TURN = 64
/** Of all requests together. */
const turns = new SharedTurns(RECORDS_PER_TURN)
/** Parsing this much takes as long as processing a record. */
const LONG_RECORD_BYTES = 8192
/** An estimate before a body is parsed; most events are longer. */
const RECORD_BYTES = 512

/** Some milliseconds of the writing thread: what others store comes in between. */
const QUARANTINED_AT_ONCE = 200

/** Records by index, with the reason: they use the room of the tenant. */
type Refused = ReadonlyMap<number, Refusal>

const NOTHING_APPENDED: AppendResult = { stored: 0, duplicates: 0, expired: [] }

/**
 * The records of a request body. Throws what `splitRecords` throws, and does what `ingestRecords` does. For a tenant it stores
 * nothing and throws AppError `quota_exceeded` if the quota has no room for all of it: the sender keeps it and sends it again.
 */
export async function ingestBody(
  dependencies: IngestDependencies,
  connector: Connector,
  body: Uint8Array,
  origin: Origin,
): Promise<IngestResult> {
  await turns.take(Math.min(RECORDS_PER_TURN, Math.ceil(body.length / RECORD_BYTES)))
  const { records, needsJson } = await inTurns(findRecords(body))
  return ingest(dependencies, connector, records, { ...origin, isWhole: origin.tenantId !== undefined, needsJson })
}

async function inTurns<T>(steps: Steps<T>): Promise<T> {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    await turns.take(RECORDS_PER_TURN)
  }
}

/**
 * With a tenant, domains of other tenants are unknown. Records beyond a quota are quarantined, as far as the tenant has room.
 *
 * Resolves when everything it counts is durable. When it rejects (storage cannot commit, too much is waiting, or the quarantine
 * has no room for the rejected records of this source), the same records can be sent again: those that were stored are then duplicates.
 */
export async function ingestRecords(
  dependencies: IngestDependencies,
  connector: Connector,
  records: readonly RawRecord[],
  origin: Origin,
): Promise<IngestResult> {
  await turns.take(Math.min(RECORDS_PER_TURN, records.length))
  return ingest(dependencies, connector, records, { ...origin, isWhole: false, needsJson: false })
}

interface Bounds extends Origin {
  /** Whether a quota refuses the whole request instead of records. */
  readonly isWhole: boolean
  /** Whether at least one record must be JSON: otherwise the body as a whole is something else. */
  readonly needsJson: boolean
}

/** Begins with a turn for the first records. */
async function ingest(
  dependencies: IngestDependencies,
  connector: Connector,
  records: readonly RawRecord[],
  { isWhole, needsJson, ...origin }: Bounds,
): Promise<IngestResult> {
  const { tieEvent } = dependencies
  const attribution = new Attribution(dependencies, origin.tenantId)
  let accepted: OwnedEvent[] = []
  let recordOf: number[] = []
  const messages = new AcceptedMessages()
  const problems = new Map<number, string>()
  let skipped = 0

  let hasJson = false
  let inTurn = 0
  // Without an iterator and lists of one: they are garbage for each event.
  for (let index = 0; index < records.length; index++) {
    const record = records[index] as RawRecord
    const amount = amountOf(record)
    if (index > 0 && inTurn + amount > RECORDS_PER_TURN) {
      await turns.take(Math.min(RECORDS_PER_TURN, Math.max(amount, records.length - index)))
      inTurn = 0
    }
    inTurn += amount
    hasJson ||= needsJson && record.value !== undefined
    const before = accepted.length
    try {
      for (const told of toEvents(connector, record)) {
        const reported = told.reference === undefined || !tieEvent ? told : await tieEvent(told, origin)
        const found = attribution.attribute(reported)
        const event = found instanceof Promise ? await found : found
        if (event && reported.isReport) await requireMessage(dependencies.log, messages.upTo(accepted, before), event)
        if (!event) continue
        accepted.push(event)
        recordOf.push(index)
      }
      if (accepted.length === before) skipped += 1
    } catch (error) {
      // All events of a record, or none.
      accepted.length = before
      recordOf.length = before
      // Anything else is not the fault of this record, such as a control database that is away.
      if (!(error instanceof AppError) || error.code !== 'invalid_payload') throw error
      problems.set(index, error.message)
    }
  }

  if (needsJson && !hasJson) throw withoutJson(records)
  const leaveOut = (refused: Refused) => {
    if (refused.size === 0) return
    accepted = accepted.filter((_, at) => !refused.has(recordOf[at] ?? 0))
    recordOf = recordOf.filter((index) => !refused.has(index))
  }
  // As in attribution: a wrong clock must not refuse events with the true time.
  const nowMs = dependencies.knownTime?.earliestMs ?? dependencies.clock()
  const refused = await findRefused(dependencies.keys, accepted, recordOf, nowMs)
  leaveOut(refused)
  const taken = dependencies.quotas && (await applyQuotas(dependencies.quotas, accepted, recordOf, isWhole))
  if (taken) leaveOut(taken.refused)
  const surplus: Refused = new Map([...refused, ...(taken?.refused ?? [])])

  // The quarantine first: when the disk is full, nothing of the request is stored.
  let isKept = true
  let lost: ReadonlySet<string> = new Set()
  const storing = quarantine(dependencies, connector, records, problems, origin).then(async (isAdded) => {
    isKept = isAdded
    lost = await quarantineSurplus(dependencies, connector, records, surplus, origin)
    const events = accepted
    // The store has them then; keeping them here until they are durable would only take memory.
    accepted = []
    return events.length > 0 ? dependencies.log.append(events) : NOTHING_APPENDED
  })
  const appended = await storing.catch((error: unknown) => {
    taken?.giveBackAll(error instanceof PartlyStoredError ? error.stored : 0)
    throw error
  })
  taken?.giveBack(appended.duplicates + appended.expired.length)
  const expired = new Map(
    appended.expired.map((at) => [recordOf[at] ?? 0, 'timestamp: the day was already removed by retention']),
  )
  const isExpiredKept = await quarantine(dependencies, connector, records, expired, origin)
  // The others are stored first: one bad record must not hold back an hour of good events. The sender keeps and repeats all.
  if (!isKept || !isExpiredKept) throw noRoom(isKept ? expired.size : problems.size)

  for (const [index, { tenantId, reason }] of surplus)
    problems.set(
      index,
      lost.has(tenantId) ? `${reason}; not kept, the quarantine has no room for more of them` : reason,
    )
  const rejected: { readonly index: number; readonly error: string }[] = []
  for (const some of [problems, expired]) for (const [index, error] of some) rejected.push({ index, error })
  // Only what was added at the end is out of order.
  if (surplus.size + expired.size > 0) rejected.sort((a, b) => a.index - b.index)
  return { stored: appended.stored, duplicates: appended.duplicates, rejected, ...(skipped > 0 && { skipped }) }
}

/** In turns of the thread: a long record counts as many. */
function amountOf(record: RawRecord): number {
  return 1 + Math.floor((record.length ?? 0) / LONG_RECORD_BYTES)
}

/** The messages of a request. Collected only for reports, which are rare. */
class AcceptedMessages {
  readonly #messages = new Set<string>()
  #count = 0

  /** `count`: without those of the record that is being read. */
  upTo(accepted: readonly AttributedEvent[], count: number): this {
    for (; this.#count < count; this.#count++) {
      const event = accepted[this.#count]
      if (event) this.#messages.add(messageOf(event))
    }
    return this
  }

  has(event: AttributedEvent): boolean {
    return this.#messages.has(messageOf(event))
  }
}

function messageOf({ domainNumber, event }: AttributedEvent): string {
  return JSON.stringify([domainNumber, event.id, event.recipient.toLowerCase()])
}

/** A report is about a message that is in the log, or in the same request before it. */
async function requireMessage(
  log: Pick<EventLog, 'list'>,
  accepted: AcceptedMessages,
  report: AttributedEvent,
): Promise<void> {
  if (accepted.has(report)) return
  const { domainNumber, event } = report
  const domain = { number: domainNumber, name: event.domain_name }
  if (await findRecipientOfMessage(log, domain, event.id, event.recipient)) return
  throw new AppError('invalid_payload', 'the report does not match any message in the log')
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
  { source, tenantId }: Origin,
): Promise<boolean> {
  if (problems.size === 0) return true
  // A report is one payload with several records: it is kept once, not once for each.
  const reasons = new Map<Uint8Array, Set<string>>()
  const addReasons = () => {
    const rejected = [...reasons].map(
      ([payload, some]): RejectedRecord => ({
        payload,
        connector: connector.name,
        source,
        reason: joinReasons(some),
        ...(tenantId !== undefined && { tenantId }),
      }),
    )
    reasons.clear()
    return quarantine.add(rejected, clock())
  }
  for (const [index, reason] of problems) {
    const payload = records[index]?.payload
    if (!payload) continue
    if (!reasons.has(payload) && reasons.size === QUARANTINED_AT_ONCE && !(await addReasons())) return false
    reasons.set(payload, (reasons.get(payload) ?? new Set()).add(reason))
  }
  return addReasons()
}

/**
 * What is beyond a quota, or of a suspended tenant or a deactivated domain, uses the room of its tenant. Without room it is not kept, and returned is whose: the sender must not
 * wait for it, because the events of all other tenants would wait too.
 */
async function quarantineSurplus(
  dependencies: IngestDependencies,
  connector: Connector,
  records: readonly RawRecord[],
  surplus: Refused,
  origin: Origin,
): Promise<ReadonlySet<string>> {
  const lost = new Set<string>()
  for (const [tenantId, ofTenant] of Map.groupBy(surplus, ([, refusal]) => refusal.tenantId)) {
    const problems = new Map(ofTenant.map(([index, { reason }]) => [index, reason]))
    const source: Source = { kind: 'tenant', name: tenantId }
    if (!(await quarantine(dependencies, connector, records, problems, { ...origin, source }))) lost.add(tenantId)
  }
  return lost
}

const NO_ROOM_RETRY_SECONDS = 300

function noRoom(count: number): AppError {
  return new AppError(
    'quota_exceeded',
    `The quarantine has no room for rejected records of this source (${count} in this request). All others are stored. ` +
      'Fix, replay or drop rejected records, then repeat the request.',
    { retryAfterSeconds: NO_ROOM_RETRY_SECONDS },
  )
}

const REASON_LENGTH_MAX = 1000

function joinReasons(reasons: ReadonlySet<string>): string {
  const joined = [...reasons].join('; ')
  return joined.length <= REASON_LENGTH_MAX ? joined : `${joined.slice(0, REASON_LENGTH_MAX - 1)}…`
}
