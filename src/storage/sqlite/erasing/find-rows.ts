/** Finds the rows of a day that are to be erased. */
import type { Erasure } from '../../../events/log/event-log.ts'
import { foldCase } from '../../../lib/text/case-folding.ts'
import type { Database } from '../database/database.ts'
import { type Day, endOfDayMs } from '../days/day.ts'
import { messageKey } from '../days/message-key.ts'
import { defineTextFunctions } from '../text-index/text-search.ts'
import type { DayErasure } from './erase-rows.ts'

/** Found again, and then the next ones, until there are none. */
const MESSAGES_AT_ONCE = 1000

/** Reads every message: an index that is damaged must not hide one. */
const MESSAGES_OF_RECIPIENT = `
  SELECT key FROM message m WHERE iif(m.plain, lower(m.recipient), fold_case(m.recipient)) = ? LIMIT ${MESSAGES_AT_ONCE}`

const DOMAINS_WITH_EVENTS = `
  SELECT value FROM json_each(?) d
  WHERE EXISTS (SELECT 1 FROM event e WHERE e.domain = d.value)
    OR EXISTS (SELECT 1 FROM message m WHERE m.key >= ${messageKey('d.value', '0')} AND m.key < ${messageKey('(d.value + 1)', '0')})`

const DOMAINS_WITH_ROWS = `
  ${DOMAINS_WITH_EVENTS} OR EXISTS (SELECT 1 FROM counter c WHERE c.domain = d.value)
    OR EXISTS (SELECT 1 FROM event_per_hour h WHERE h.domain = d.value)
    OR EXISTS (SELECT 1 FROM sending_per_hour s WHERE s.domain = d.value)`

/** Whether the day can have such rows: by its time alone. */
export function concerns(erasure: Erasure, day: Day): boolean {
  if (erasure.what !== 'expired') return true
  return endOfDayMs(day) <= erasure.beforeMs && endOfDayMs(day) > (erasure.fromMs ?? 0)
}

/** Whether the day has had events of one of the domains. */
export function hadDomains(db: Database, domainNumbers: readonly number[]): boolean {
  const sql = `
    SELECT EXISTS (SELECT 1 FROM json_each(?) d JOIN domain_claim c ON c.number = d.value)
      OR EXISTS (SELECT 1 FROM json_each(?) d JOIN counter c ON c.domain = d.value)`
  const numbers = JSON.stringify(domainNumbers)
  return db.number(sql, numbers, numbers) === 1
}

/** Undefined if there are none. */
export function findRows(db: Database, erasure: Erasure): DayErasure | undefined {
  if (erasure.what === 'recipient') {
    defineTextFunctions(db)
    const messages = db.allArrays<[number]>(MESSAGES_OF_RECIPIENT, foldCase(erasure.address)).map(([key]) => key)
    return messages.length === 0 ? undefined : { messages }
  }
  const keepsCounts = erasure.what === 'expired'
  const sql = keepsCounts ? DOMAINS_WITH_EVENTS : DOMAINS_WITH_ROWS
  const domains = db.allArrays<[number]>(sql, JSON.stringify(erasure.domainNumbers)).map(([domain]) => domain)
  return domains.length === 0 ? undefined : { domains, keepsCounts }
}
