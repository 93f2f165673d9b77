/** Data folders that are closed, changed from outside and opened again. */
import { randomUUID } from 'node:crypto'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { openSqliteStorage } from '../../../src/storage/sqlite/open-sqlite-storage.ts'
import type { Storage } from '../../../src/storage/storage.ts'

/** 2026-03-01T12:00:00Z */
export const NOON = 1_772_366_400
export const DAY = 86_400

export function openAt(dataDir: string): Promise<Storage> {
  return openSqliteStorage({
    dataDir,
    clock: () => NOON * 1000,
    serviceMessageIdField: 'service_message_id',
    readers: 1,
  })
}

/** Opens, works and closes. */
export async function withStorage<T>(dataDir: string, work: (storage: Storage) => Promise<T>): Promise<T> {
  const storage = await openAt(dataDir)
  try {
    return await work(storage)
  } finally {
    await storage.close()
  }
}

/** Returns its number. */
export async function addDomain({ control }: Storage, name: string): Promise<number> {
  const tenantId = `tenant of ${name}`
  await control.keys.createTenant({ id: tenantId, clientId: tenantId, name: tenantId, createdAtMs: 1 })
  const { number } = await control.domains.create({
    id: randomUUID(),
    tenantId,
    name,
    description: '',
    sendingEmail: '',
    isActive: true,
    isApproved: true,
    isVerified: true,
    dnsRecords: [],
    dkimKeys: [],
    lastVerificationErrors: [],
    createdAtMs: 1,
    updatedAtMs: 1,
  })
  return number
}

/** One event for each id, `daysAgo` days before NOON. */
export function append({ log }: Storage, domainNumber: number, daysAgo: number, ...ids: string[]) {
  const timestamp = NOON - daysAgo * DAY
  const rest = { timestamp, type: 'Delivery', domain_name: 'any.test', recipient: 'u@b.test' } as const
  return log.append(ids.map((id) => ({ domainNumber, event: { id, ...rest } })))
}

/** The ids of the events that are shown for the domain, newest first. */
export async function shownFor({ log }: Storage, number: number): Promise<readonly string[]> {
  const window = { startTimestamp: 0, endTimestamp: NOON * 2 }
  const domains = [{ number, name: 'any.test' }]
  const page = await log.list({ domains, filters: {}, window, limit: 100, budgetMs: 60_000 })
  return page.events.map((text) => (JSON.parse(text) as { id: string }).id)
}

/** Day files only, whatever SQLite keeps beside them. */
export function copyDay(from: string, day: string, to: string, dayThere = day): void {
  cpSync(join(from, 'events', `${day}.db`), join(to, 'events', `${dayThere}.db`))
}
