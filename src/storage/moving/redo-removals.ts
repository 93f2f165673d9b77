/**
 * Removes from the new storage what the old one has erased since it was moved. Removals that are not finished are left to the new
 * servers, which begin them again.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { EmailEvent } from '../../events/event.ts'
import type { Erasure, EventLog } from '../../events/log/event-log.ts'
import { digestOf } from '../../events/removal/removal.ts'
import { foldCase } from '../../lib/text/case-folding.ts'
import type { Postgres } from '../postgres/database/postgres.ts'
import { endOfDayMs } from '../sqlite/days/day.ts'
import type { MoveRecord } from './move-record.ts'
import type { SourceFolder } from './source-folder.ts'

export interface RedoOptions {
  readonly source: SourceFolder
  readonly log: Pick<EventLog, 'erase' | 'list' | 'removeBefore'>
  /** With the control data of an earlier moment. */
  readonly db: Postgres
  readonly record: MoveRecord
}

type RemovalRow = { id: string; kind: string; object: string; domain_numbers: string }

const FINISHED = 'SELECT id, kind, object, domain_numbers FROM removal WHERE finished_at_ms IS NOT NULL ORDER BY id'
const UNFINISHED = 'SELECT id, address FROM removal WHERE finished_at_ms IS NULL AND address IS NOT NULL'
const EXPIRED = 'SELECT id, expired_to_ms AS beforeMs FROM tenant WHERE expired_to_ms IS NOT NULL'
const PAGE_EVENTS = 1000
const BUDGET_MS = 60_000
const WAIT_MS = 1000
/** In Unix seconds, and within 32 bits. */
const NEVER = 4_294_967_295

/** Before the round that moves what was stored after them. Days of which too much was removed are to be moved again. */
export async function redoRemovals(options: RedoOptions): Promise<void> {
  const { source, log, db, record } = options
  const known = new Set((await db.all<RemovalRow>(FINISHED)).map(({ id }) => id))
  for (const removal of source.control.all<RemovalRow>(FINISHED)) {
    if (known.has(removal.id)) continue
    const noted = await record.findRemoval(removal.id)
    if (noted?.isRedone) continue
    let address: string | undefined
    if (removal.kind === 'recipient') address = await redoRecipient(options, removal, noted?.address)
    else await erase(log, { what: 'domains', domainNumbers: JSON.parse(removal.domain_numbers) as number[] })
    await record.noteRedone(removal.id, address)
  }
  await redoExpiry(options)
  const folded = source.control.get<{ day: string | null }>('SELECT max(day) AS day FROM folded_day')?.day
  if (folded) await log.removeBefore(endOfDayMs(folded))
}

/** To be called often: a removal may be finished soon. */
export async function noteRemovals({ control }: SourceFolder, record: MoveRecord): Promise<void> {
  for (const { id, address } of control.all<{ id: string; address: string }>(UNFINISHED))
    await record.noteRemoval(id, address)
}

/** Undefined if the new storage has nothing of it. */
async function redoRecipient(
  options: RedoOptions,
  removal: RemovalRow,
  noted: string | null | undefined,
): Promise<string | undefined> {
  const address = noted ?? (await findAddress(options, removal))
  if (address === undefined) return undefined
  await erase(options.log, { what: 'recipient', address })
  await moveAgain(options, foldCase(address))
  return address
}

/** Of tenants with a retention of their own. */
async function redoExpiry({ source, log, db }: RedoOptions): Promise<void> {
  const before = await db.all<{ id: string; beforems: number }>(EXPIRED)
  const known = new Map(before.map(({ id, beforems }) => [id, beforems]))
  for (const { id, beforeMs } of source.control.all<{ id: string; beforeMs: number }>(EXPIRED)) {
    if (known.get(id) === beforeMs) continue
    const rows = source.control.allArrays<[number]>('SELECT number FROM domain WHERE tenant_id = ?', id)
    await erase(log, { what: 'expired', domainNumbers: rows.map(([number]) => number), beforeMs })
  }
}

/** Until no event of it is listed any more, also if another process has to be waited for first; the new servers wait until nothing of it is left on the disks. */
async function erase(log: RedoOptions['log'], erasure: Erasure): Promise<void> {
  for (let position: string | undefined; ; ) {
    const { next, isWaiting = false } = await log.erase(erasure, position)
    if (next === undefined || (isWaiting && next === 'files')) return
    if (isWaiting) await delay(WAIT_MS)
    position = next
  }
}

/** A finished removal has only a digest of the address: recipients in the new storage are compared with it. */
async function findAddress(options: RedoOptions, { id, object }: RemovalRow): Promise<string | undefined> {
  const { source, log } = options
  const window = { startTimestamp: 0, endTimestamp: NEVER }
  for (const domain of source.listDomains()) {
    for (let after: string | undefined; ; ) {
      const query = { domains: [domain], filters: {}, window, limit: PAGE_EVENTS, budgetMs: BUDGET_MS }
      const page = await log.list(after === undefined ? query : { ...query, after })
      for (const text of page.events) {
        const { recipient } = JSON.parse(text) as EmailEvent
        if (digestOf(id, recipient) === object) return recipient
      }
      if (page.next === undefined) break
      after = page.next
    }
  }
  return undefined
}

/** Events to the address that the old storage has stored since the removal. */
async function moveAgain({ source, record }: RedoOptions, address: string): Promise<void> {
  for (const day of source.listDays()) {
    using db = source.openDay(day)
    db?.defineTextFunction('folded', foldCase)
    if (db?.get('SELECT 1 FROM message WHERE folded(recipient) = ? LIMIT 1', address)) await record.noteDay(day, 0)
  }
}
