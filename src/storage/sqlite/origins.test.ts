/** The origins of events in day files: older files, recount, erasing, repair, and what they cost. */
import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { FILE_DAMAGES } from '../../../test/harness/storage/damage.ts'
import { openTemporaryFolder } from '../../../test/harness/temporary-folder.ts'
import type { EventExtension } from '../../events/event.ts'
import type { AttributedEvent } from '../../events/log/event-log.ts'
import { ORIGINS_PER_DAY } from '../../stats/series.ts'
import { requireCapability, type Storage } from '../storage.ts'
import { Database } from './database/database.ts'
import { openSqliteStorage } from './open-sqlite-storage.ts'

/** Noon of 2026-03-01. */
const NOW = 1_772_366_400
const DAY = '2026-03-01'
const DOMAINS = [1, 2].map((number) => ({ number, name: `d${number}.test` }))
const ALL = { domains: DOMAINS, filters: {}, window: { startTimestamp: 0, endTimestamp: 2 * NOW }, limit: 1000 }

function event(index: number, extension?: EventExtension): AttributedEvent {
  const domain = DOMAINS[index % 2] as (typeof DOMAINS)[number]
  return {
    domainNumber: domain.number,
    event: {
      id: `message-${index}`,
      timestamp: NOW - index * 7,
      type: index % 3 === 0 ? 'TransientFailure' : 'Delivery',
      domain_name: domain.name,
      recipient: `person${index % 50}@example.net`,
      sender: `bounces@${domain.name}`,
      subject: `Letter ${index}`,
      response_code: 250,
      response_content: `queued as ${index}`,
      provider_name: `provider${index % 3}`,
    },
    ...(extension && { extension }),
  }
}

const originOf = (index: number): EventExtension => ({
  sending_address: `192.0.2.${index % 7}`,
  sending_source: `mta-${index % 7}`,
  sending_pool: 'bulk',
})

const openAt = (dataDir: string): Promise<Storage> =>
  openSqliteStorage({ dataDir, clock: () => NOW * 1000, serviceMessageIdField: 'service_message_id', readers: 1 })

const recount = (storage: Storage) => requireCapability(storage, 'recount').run()

async function listAll({ log }: Storage, shown: 'sending' | 'interface' = 'sending'): Promise<readonly string[]> {
  const { events } = await log.list({ ...ALL, shown, budgetMs: 60_000 })
  return events
}

async function countSending({ log }: Storage): Promise<Record<string, number>> {
  const range = { fromHour: NOW / 3600 - 12, toHour: NOW / 3600 + 12 }
  const counts: Record<string, number> = {}
  const query = { domainNumbers: [1, 2], filters: {}, group: 'sending_address', ...range } as const
  for await (const some of log.series(query))
    for (const { key, count } of some) counts[key] = (counts[key] ?? 0) + count
  return counts
}

test('recount proves the counts by origin, also of origins beyond the limit and of erased events', async () => {
  using folder = openTemporaryFolder()
  const storage = await openAt(folder.path)
  const many = Array.from({ length: 2 * ORIGINS_PER_DAY + 100 }, (_, index) =>
    event(index, { sending_address: `10.0.${index >> 8}.${index & 255}` }),
  )
  for (let at = 0; at < many.length; at += 90) await storage.log.append(many.slice(at, at + 90))
  // Duplicates do not count.
  await storage.log.append(many)
  assert.deepEqual(await recount(storage), [])
  const counts = await countSending(storage)
  assert.equal(counts['(other)'], 100)
  assert.equal(Object.keys(counts).length, 2 * ORIGINS_PER_DAY + 1)
  for (const address of ['person1@example.net', 'person49@example.net']) {
    let next: string | undefined
    do next = (await storage.log.erase({ what: 'recipient', address }, next)).next
    while (next !== undefined)
  }
  assert.deepEqual(await countSending(storage), counts)
  assert.deepEqual(await recount(storage), [])
  await storage.log.append([event(5000, originOf(1))])
  assert.deepEqual(await recount(storage), [])
  let next: string | undefined
  do next = (await storage.log.erase({ what: 'domains', domainNumbers: [1] }, next)).next
  while (next !== undefined)
  assert.equal((await countSending(storage))['(other)'], 50)
  assert.deepEqual(await recount(storage), [])
  await storage.close()

  const db = new Database(join(folder.path, 'events', `${DAY}.db`))
  assert.equal(db.number('SELECT count(*) FROM sending_per_hour WHERE domain = 1'), 0)
  const left = db.number("SELECT count(*) FROM origin WHERE address LIKE '10.%'")
  assert.ok(left < 400, `${left} origins: those of the removed domain are gone`)
  db.run('UPDATE sending_per_hour SET count = count + 1 WHERE origin = 0 AND type = 1 AND hour = 11')
  db.close()
  const wrong = await openAt(folder.path)
  const findings = await recount(wrong)
  assert.ok(findings.length > 0)
  for (const finding of findings)
    assert.match(finding, /^2026-03-01: domain 2, hour 11, origin 0, Delivery: counter \d+, events \d+$/)
  await wrong.close()
})

test('a repair keeps the origin and the next attempt of every event that it saves', async () => {
  using folder = openTemporaryFolder()
  const path = join(folder.path, 'events', `${DAY}.db`)
  const storage = await openAt(folder.path)
  const told = (index: number) => ({ ...originOf(index), ...(index % 3 === 0 && { next_attempt: NOW + 3600 }) })
  await storage.log.append(
    Array.from({ length: 600 }, (_, index) => event(index, index % 4 === 0 ? undefined : told(index))),
  )
  const before = await listAll(storage)
  const counts = await countSending(storage)
  await storage.close()
  FILE_DAMAGES['the header overwritten']?.(path)
  const damaged = await openAt(folder.path)
  await recount(damaged)
  const { saved, lost } = await requireCapability(damaged, 'repair').run(DAY)
  assert.deepEqual({ saved, lost }, { saved: 600, lost: 0 })
  assert.deepEqual(await listAll(damaged), before)
  assert.deepEqual(await countSending(damaged), counts)
  assert.deepEqual(await recount(damaged), [])
  await damaged.close()
})

test('an event whose origin is lost with its page is saved without it', async () => {
  using folder = openTemporaryFolder()
  const storage = await openAt(folder.path)
  await storage.log.append(Array.from({ length: 60 }, (_, index) => event(index, originOf(index))))
  await storage.close()
  const path = join(folder.path, 'events', `${DAY}.db`)
  const db = new Database(path)
  db.run('DELETE FROM origin WHERE key = 2')
  db.close()
  FILE_DAMAGES['the header overwritten']?.(path)
  const damaged = await openAt(folder.path)
  await recount(damaged)
  assert.equal((await requireCapability(damaged, 'repair').run(DAY)).saved, 60)
  assert.equal((await listAll(damaged)).filter((text) => !text.includes('sending_')).length > 0, true)
  assert.deepEqual(await recount(damaged), [])
  await damaged.close()
})

test('an origin takes a few bytes of an event, and hardly any if it is not known', async () => {
  const sizeOf = async (toExtension: (index: number) => EventExtension | undefined) => {
    using folder = openTemporaryFolder()
    const storage = await openAt(folder.path)
    const events = Array.from({ length: 12_000 }, (_, index) => event(index, toExtension(index)))
    for (let at = 0; at < events.length; at += 2000) await storage.log.append(events.slice(at, at + 2000))
    await storage.close()
    return statSync(join(folder.path, 'events', `${DAY}.db`)).size
  }
  const without = await sizeOf(() => undefined)
  const withOrigin = await sizeOf(originOf)
  const withBoth = await sizeOf((index) => ({ ...originOf(index), next_attempt: NOW - index * 7 + 900 + (index % 60) }))
  assert.ok(withOrigin < without * 1.03, `${without} ${withOrigin}`)
  assert.ok(withBoth < without * 1.05, `${without} ${withBoth}`)
})
