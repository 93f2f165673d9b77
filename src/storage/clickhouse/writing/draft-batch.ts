/** What of a group is new, and the batch that stores it. */
import { randomUUID } from 'node:crypto'
import { nextTurn } from '../../../lib/turns/next-turn.ts'
import type { BatchDraft, DecisionRules } from '../../postgres/batches/batch.ts'
import {
  addHours,
  addSending,
  type CountedOrigins,
  type HourCounts,
  listChanges,
  type SendingCounts,
  sumClosed,
} from '../rows/count-rows.ts'
import { encodeChanges, encodeHours, encodeSending } from '../rows/encode-rows.ts'
import { type BatchContent, packContent } from './batch-payload.ts'
import { joinRows } from './encoded-events.ts'
import { identityOf } from './known-events.ts'
import type { RowOutcome, WaitingRow } from './waiting-rows.ts'

const MS_PER_SECOND = 1000
/** Rows that are examined, counted or encoded before others get the thread: about a millisecond. */
const ROWS_PER_TURN = 1000

export interface KnownData {
  /** Identities of stored events. */
  readonly events: ReadonlySet<string>
  readonly origins: CountedOrigins
  readonly nowMs: number
}

export interface Drafted {
  readonly outcomes: ReadonlyMap<WaitingRow, RowOutcome>
  /** Absent if nothing is new. */
  readonly batch?: BatchDraft & { readonly content: BatchContent }
}

export async function draftBatch(
  rows: readonly WaitingRow[],
  { cutDay, closedDay, removedDomains }: DecisionRules,
  { events, origins, nowMs }: KnownData,
): Promise<Drafted> {
  const outcomes = new Map<WaitingRow, RowOutcome>()
  const seen = new Set<string>()
  const added: WaitingRow[] = []
  const cutTimestamp = Date.parse(`${cutDay}T00:00:00Z`) / MS_PER_SECOND
  for (const [index, waiting] of rows.entries()) {
    if (index > 0 && index % ROWS_PER_TURN === 0) await nextTurn()
    const { row } = waiting
    const identity = identityOf(row)
    if (row.event.timestamp < cutTimestamp || removedDomains.has(row.domain)) outcomes.set(waiting, 'expired')
    else if (events.has(identity) || seen.has(identity)) outcomes.set(waiting, 'duplicate')
    else {
      seen.add(identity)
      added.push(waiting)
      outcomes.set(waiting, 'stored')
    }
  }
  if (added.length === 0) return { outcomes }
  const token = randomUUID()
  const newRows = added.map(({ row }) => row)
  const hours: HourCounts = new Map()
  const sending: SendingCounts = { rows: new Map(), origins: new Map() }
  for (let at = 0; at < newRows.length; at += ROWS_PER_TURN) {
    await nextTurn()
    const some = newRows.slice(at, at + ROWS_PER_TURN)
    addHours(hours, some, token)
    addSending(sending, some, origins, token)
  }
  const counts = [
    ['event_hour', await encodeSlices([...hours.values()], encodeHours)],
    ['sending_hour', await encodeSlices([...sending.rows.values()], encodeSending)],
    ['domain_change', encodeChanges(listChanges(newRows, nowMs))],
  ] as const
  await nextTurn()
  const content: BatchContent = { events: joinRows(added), counts: counts.filter(([, bytes]) => bytes.length > 0) }
  const domainNumbers = new Set(newRows.map(({ domain }) => domain))
  const payload = await packContent(content)
  const closedCounts = sumClosed(hours.values(), closedDay)
  return { outcomes, batch: { events: added.length, token, domainNumbers, payload, content, closedCounts } }
}

async function encodeSlices<Row>(
  rows: readonly Row[],
  encode: (rows: readonly Row[]) => Uint8Array,
): Promise<Uint8Array> {
  const slices: Uint8Array[] = []
  for (let at = 0; at < rows.length; at += ROWS_PER_TURN) {
    await nextTurn()
    slices.push(encode(rows.slice(at, at + ROWS_PER_TURN)))
  }
  return Buffer.concat(slices)
}
