/**
 * How long messages took from reception to delivery, for a sample of the deliveries of a window: the newest ones of each part of it,
 * and the reception of each. A bounded number of events is read, whatever the volume; see docs/decisions/0059.
 */
import { known } from '../../lib/known.ts'
import { Deadline } from '../../lib/turns/deadline.ts'
import { Turn } from '../../lib/turns/turn.ts'
import type { EmailEvent } from '../event.ts'
import type { LogDomain, LogPage, LogQuery, LogWindow } from '../log/log-query.ts'

export interface DeliveryTimesQuery extends Pick<LogQuery, 'domains' | 'window' | 'budgetMs' | 'tenantId'> {
  /** Of the window, equally long. */
  readonly parts: number
  /** Deliveries of each part. */
  readonly perPart: number
}

export interface DeliveryTime {
  /** Of the delivery, Unix seconds. */
  readonly timestamp: number
  /** Empty for events without one. */
  readonly provider: string
  readonly seconds: number
}

export interface DeliveryTimes {
  /** Unordered. */
  readonly times: readonly DeliveryTime[]
  /** Deliveries whose reception was looked for. Of some there is none. */
  readonly sampled: number
  /** The budget was used up before all parts were sampled. */
  readonly isCut: boolean
}

export interface SampledDelivery {
  readonly id: string
  readonly recipient: string
  readonly domain: LogDomain
  readonly timestamp: number
}

/** The times of the receptions of these deliveries, in their order. */
type FindReceptions = (
  deliveries: readonly SampledDelivery[],
  budgetMs: number,
) => Promise<readonly (number | undefined)[]>
type ListPage = (query: LogQuery) => Promise<LogPage>

/** Mail servers give up after five days; some, after a week. */
export const LONGEST_SECONDS = 7 * 86_400

/** `partsAtOnce`: parts whose receptions are looked for together. */
export async function sampleDeliveryTimes(
  list: ListPage,
  findReceptions: FindReceptions,
  query: DeliveryTimesQuery,
  partsAtOnce = 1,
): Promise<DeliveryTimes> {
  const deadline = new Deadline(query.budgetMs)
  const parts = listParts(query)
  const times: DeliveryTime[] = []
  let [sampled, isCut] = [0, false]
  for (let at = 0; at < parts.length && !isCut; at += partsAtOnce) {
    const some = parts.slice(at, at + partsAtOnce)
    const listed = await listDeliveries(list, query, { parts: some, deadline, isContinuation: sampled > 0 })
    const { deliveries } = listed
    isCut = listed.isCut
    if (deliveries.length === 0) continue
    const receptions = await findReceptions(deliveries, Math.max(1, deadline.leftMs))
    for (const [index, { timestamp, provider }] of deliveries.entries()) {
      const received = receptions[index]
      if (received !== undefined) times.push({ timestamp, provider, seconds: Math.max(0, timestamp - received) })
    }
    sampled += deliveries.length
  }
  return { times, sampled, isCut }
}

interface Listing {
  readonly parts: readonly LogWindow[]
  readonly deadline: Deadline
  readonly isContinuation: boolean
}

/** The newest deliveries of each part. Once there are some, half of the time that is left is for their receptions. */
async function listDeliveries(
  list: ListPage,
  { domains, perPart, tenantId }: DeliveryTimesQuery,
  { parts, deadline, isContinuation }: Listing,
) {
  const byName = new Map(domains.map((domain) => [domain.name, domain]))
  const turn = new Turn()
  const deliveries: (SampledDelivery & { readonly provider: string })[] = []
  const halfMs = deadline.leftMs / 2
  for (const window of parts) {
    const leftMs = deadline.leftMs
    if (leftMs <= (deliveries.length > 0 ? halfMs : 0)) return { deliveries, isCut: true }
    const page = await list({
      domains,
      window,
      filters: { types: ['Delivery'] },
      limit: perPart,
      budgetMs: leftMs,
      isContinuation: isContinuation || deliveries.length > 0,
      ...known({ tenantId }),
    })
    for (const text of page.events) {
      const {
        id,
        recipient,
        domain_name: name,
        timestamp,
        provider_name: provider = '',
      } = JSON.parse(text) as EmailEvent
      const domain = byName.get(name)
      if (domain) deliveries.push({ id, recipient, domain, timestamp, provider })
      if (turn.isOver) await turn.share()
    }
  }
  return { deliveries, isCut: false }
}

/** Every second one first: if the budget is used up, what was sampled is of the whole window. */
function listParts({ window: { startTimestamp, endTimestamp }, parts }: DeliveryTimesQuery): readonly LogWindow[] {
  const edge = (index: number) => startTimestamp + Math.floor(((endTimestamp + 1 - startTimestamp) * index) / parts)
  const all = Array.from({ length: parts }, (_, index) => ({
    startTimestamp: edge(index),
    endTimestamp: edge(index + 1) - 1,
  })).filter((part) => part.startTimestamp <= part.endTimestamp)
  return [...all.filter((_, index) => index % 2 === 0), ...all.filter((_, index) => index % 2 === 1)]
}

/** Of a page: a message has one for each recipient whose address contains the one that is looked for. */
const RECEPTIONS_READ = 10

/** Receptions looked for one by one, for engines that find a message by its id at once. */
export function receptionsByMessage(list: ListPage): FindReceptions {
  return async (deliveries, budgetMs) => {
    const deadline = new Deadline(budgetMs)
    const found: (number | undefined)[] = []
    for (const delivery of deliveries) {
      if (deadline.leftMs <= 0) break
      found.push(await findFirst(list, delivery, deadline))
    }
    return found
  }
}

/** As far as there is time: pages have the newest first. */
async function findFirst(
  list: ListPage,
  { id, recipient, domain, timestamp }: SampledDelivery,
  deadline: Deadline,
): Promise<number | undefined> {
  let first: number | undefined
  let after: string | undefined
  do {
    const page = await list({
      domains: [domain],
      filters: { types: ['Reception'], messageId: id, recipient },
      window: { startTimestamp: Math.max(0, timestamp - LONGEST_SECONDS), endTimestamp: timestamp },
      limit: RECEPTIONS_READ,
      budgetMs: deadline.leftMs,
      isContinuation: true,
      ...known({ after }),
    })
    for (const text of page.events) {
      const event = JSON.parse(text) as EmailEvent
      // The filter finds parts of an address too.
      if (event.recipient === recipient) first = event.timestamp
    }
    after = page.next
  } while (after !== undefined && deadline.leftMs > 0)
  return first
}
