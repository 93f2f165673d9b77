/** Counts the events of a request against the quotas of their tenants, and finds the records that are beyond one. */
import { AppError } from '../../lib/app-error.ts'
import type { Allowance, EventQuotas } from './event-quotas.ts'

type Events = readonly { readonly tenantId: string }[]

export interface AppliedQuotas {
  /** Records that are beyond the quota of a tenant, with the reason. */
  readonly refused: ReadonlyMap<number, { readonly tenantId: string; readonly reason: string }>
  /**
   * For events that were counted but not stored, such as duplicates. Whose they are is known only if all events of the request
   * are of one tenant; otherwise they stay counted.
   */
  giveBack(number: number): void
  /**
   * The request was refused, and will be sent again. Those of its events that are stored will be duplicates then, whose quota is given
   * back: if that is possible, they stay counted now.
   */
  giveBackAll(stored: number): void
}

type Counts = Map<string, number>
/** Undefined for tenants without a quota. */
type Allowances = ReadonlyMap<string, Allowance | undefined>

/**
 * `events` could be stored; `recordOf` is the record that each came from. With `isWhole`, throws AppError
 * `quota_exceeded` if a quota has no room for the whole request today, `payload_too_large` if it never has. Otherwise the records
 * that do not fit are refused, one by one.
 */
export async function applyQuotas(
  quotas: EventQuotas,
  events: Events,
  recordOf: readonly number[],
  isWhole: boolean,
): Promise<AppliedQuotas> {
  const wanted = countByTenant(events)
  const allowances = new Map<string, Allowance | undefined>()
  for (const tenantId of wanted.keys()) allowances.set(tenantId, await quotas.find(tenantId))
  // Synchronous from here on, so that no two requests use the same room.
  const full = findFull(allowances, wanted)
  if (full && isWhole) throw tooMany(full.allowance, events.length, quotas.secondsLeft)
  const refused = new Map<number, { readonly tenantId: string; readonly reason: string }>()
  const counted: Counts = full ? new Map() : wanted
  if (!full) count(allowances, wanted)
  for (const [record, asked] of full ? countByRecord(events, recordOf) : []) {
    const beyond = findFull(allowances, asked)
    if (beyond) {
      const { tenantId, allowance } = beyond
      const reason = `the quota of the tenant is used up: ${allowance.quota} events a day (UTC)`
      refused.set(record, { tenantId, reason })
      continue
    }
    count(allowances, asked)
    for (const [tenantId, number] of asked) add(counted, tenantId, number)
  }
  return {
    refused,
    giveBack(number) {
      const [tenantId, ...others] = counted.keys()
      if (tenantId !== undefined && others.length === 0) count(allowances, new Map([[tenantId, -number]]))
    },
    giveBackAll(stored) {
      const kept = counted.size === 1 ? stored : 0
      for (const [tenantId, number] of counted) count(allowances, new Map([[tenantId, kept - number]]))
    },
  }
}

function count(allowances: Allowances, numbers: Counts): void {
  for (const [tenantId, number] of numbers) {
    const day = allowances.get(tenantId)?.day
    if (day) day.used += number
  }
}

/** The tenant whose allowance has no room for what is asked. */
function findFull(
  allowances: Allowances,
  asked: Counts,
): { readonly tenantId: string; readonly allowance: Allowance } | undefined {
  for (const [tenantId, number] of asked) {
    const allowance = allowances.get(tenantId)
    if (allowance && allowance.day.used + number > allowance.quota) return { tenantId, allowance }
  }
  return undefined
}

function countByTenant(events: Events): Counts {
  const counts: Counts = new Map()
  for (const { tenantId } of events) add(counts, tenantId, 1)
  return counts
}

function countByRecord(events: Events, recordOf: readonly number[]): Map<number, Counts> {
  const records = new Map<number, Counts>()
  for (const [at, { tenantId }] of events.entries()) {
    const record = recordOf[at] ?? Number.NaN
    const counts: Counts = records.get(record) ?? new Map()
    records.set(record, counts)
    add(counts, tenantId, 1)
  }
  return records
}

function add(counts: Counts, tenantId: string, number: number): void {
  counts.set(tenantId, (counts.get(tenantId) ?? 0) + number)
}

function tooMany({ quota, day }: Allowance, asked: number, retryAfterSeconds: number): AppError {
  const left = Math.max(quota - day.used, 0)
  const room = `The quota of ${quota} events a day has room for ${left} more, and the request has ${asked}. Nothing was stored; `
  // Whoever waited for midnight would wait again on every day.
  if (quota > 0 && asked > quota) return new AppError('payload_too_large', `${room}send fewer events in one request.`)
  return new AppError('quota_exceeded', `${room}send it again after midnight (UTC).`, { retryAfterSeconds })
}
