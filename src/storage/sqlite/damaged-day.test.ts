/** A damaged day is set aside: every other day is written, read, counted and followed as if nothing had happened. */
import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { damagePage, FILE_DAMAGES, findPages, overwrite, PAGE_KINDS } from '../../../test/harness/storage/damage.ts'
import { untilSummarized } from '../../../test/harness/storage/history-progress.ts'
import { openTemporaryFolder } from '../../../test/harness/temporary-folder.ts'
import type { AttributedEvent } from '../../events/log/event-log.ts'
import { AppError } from '../../lib/app-error.ts'
import { requireCapability, type Storage } from '../storage.ts'
import { openSqliteStorage } from './open-sqlite-storage.ts'

const DAY = 86_400
/** Noon of 2026-03-01. */
const NOW = 1_772_366_400
const DAYS = ['2026-03-01', '2026-02-28', '2026-02-27'] as const
const BAD = '2026-02-28'
const DOMAINS = [
  { number: 1, name: 'a.test' },
  { number: 2, name: 'b.test' },
]
const EVENTS_PER_DAY = 1000
const ALL = { startTimestamp: 0, endTimestamp: NOW * 2 }

function event(index: number, day: number): AttributedEvent {
  const domain = DOMAINS[index % 2] ?? { number: 0, name: '' }
  return {
    domainNumber: domain.number,
    event: {
      id: `message-${day}-${index}`,
      timestamp: NOW - day * DAY - (index % 20_000),
      type: index % 3 === 0 ? 'Reception' : index % 3 === 1 ? 'Delivery' : 'Bounce',
      domain_name: domain.name,
      recipient: `person${index}@example.net`,
      sender: 'sender@example.org',
      subject: `Number ${index} of the day "${day}"`,
      response_code: index % 3 === 2 ? 550 : 250,
      response_content: `a response of the receiving server, with quotes " and number ${index} ${'x'.repeat(index % 50)}`,
      provider_name: `provider${index % 4}`,
    },
    ...(index % 5 > 0 && { extension: { sending_address: `192.0.2.${index % 5}`, sending_source: 'mta' } }),
  }
}

function openAt(dataDir: string, readers = 2): Promise<Storage> {
  return openSqliteStorage({ dataDir, clock: () => NOW * 1000, serviceMessageIdField: 'service_message_id', readers })
}

/** Three days in one folder, made once: each test damages a copy. */
const original = openTemporaryFolder()
const ready = (async () => {
  const storage = await openAt(original.path)
  for (let at = 0; at < EVENTS_PER_DAY; at += 100) {
    const some = [0, 1, 2].flatMap((day) => Array.from({ length: 100 }, (_, index) => event(at + index, day)))
    await storage.log.append(some)
  }
  await storage.close()
})()
process.once('exit', () => original[Symbol.dispose]())

async function copyFolder() {
  await ready
  const folder = openTemporaryFolder()
  mkdirSync(join(folder.path, 'events'))
  copyFileSync(join(original.path, 'control.db'), join(folder.path, 'control.db'))
  for (const name of readdirSync(join(original.path, 'events')))
    copyFileSync(join(original.path, 'events', name), join(folder.path, 'events', name))
  return { folder, bad: join(folder.path, 'events', `${BAD}.db`) }
}

async function listAll({ log }: Storage): Promise<readonly string[]> {
  const ids: string[] = []
  let after: string | undefined
  do {
    const query = { domains: DOMAINS, filters: {}, window: ALL, limit: 1000, budgetMs: 10_000 }
    const page = await log.list({ ...query, ...(after !== undefined && { after }) })
    for (const text of page.events) ids.push((JSON.parse(text) as { id: string }).id)
    after = page.next
  } while (after !== undefined)
  return ids
}

async function sumSeries({ log }: Storage): Promise<number> {
  const range = { fromHour: Math.floor(NOW / 3600) - 24 * 4, toHour: Math.floor(NOW / 3600) + 24 }
  let sum = 0
  for await (const counts of log.series({ domainNumbers: [1, 2], filters: {}, group: 'type', ...range }))
    for (const { count } of counts) sum += count
  return sum
}

async function countAll({ log }: Storage): Promise<number> {
  const counts = await log.counts([1, 2])
  return [...counts.values()].reduce((sum, { bounce, delivery, reception }) => sum + bounce + delivery + reception, 0)
}

const isSetAside = (error: unknown) =>
  error instanceof AppError && error.code === 'storage_unavailable' && /2026-02-28/.test(error.message)

/** Everything that touches all days, on every thread; `more`: events stored since. */
async function assertOthersWork(storage: Storage, more: number): Promise<void> {
  const others = 2 * EVENTS_PER_DAY + more
  const position = await storage.log.arrivals.last()
  const lists = await Promise.all([1, 2, 3].map(() => listAll(storage)))
  for (const ids of lists) {
    assert.equal(new Set(ids).size, others)
    assert.equal(ids.length, others)
  }
  assert.equal(await countAll(storage), others)
  // The request that finds the damage may be refused; it has to be asked again.
  await sumSeries(storage).catch((error: unknown) => assert(error instanceof AppError, String(error)))
  assert.equal(await sumSeries(storage), others)
  for (const filters of [{ recipient: 'person7' }, { subject: 'Number 7' }, { types: ['Bounce'] as const }])
    await storage.log.list({ domains: DOMAINS, filters, window: ALL, limit: 1000, budgetMs: 10_000 })
  const found = await storage.log.listMessage({ domains: DOMAINS, messageId: 'message-0-7', limit: 10, budgetMs: 1000 })
  assert.equal(found.events.length, 1)
  assert.equal(await storage.log.findNewestTimestamp(), NOW)
  assert.deepEqual(
    ((await storage.capabilities.days?.list()) ?? []).map(({ day }) => day),
    DAYS.filter((day) => day !== BAD),
  )
  assert.equal(typeof position, 'string')
}

async function findTrouble(storage: Storage): Promise<void> {
  const [trouble, ...more] = storage.capabilities.troubles?.list() ?? []
  assert.deepEqual(more, [])
  assert.equal(trouble?.day, BAD)
  assert.match(trouble.detail, /envelog repair 2026-02-28|days accept 2026-02-28/)
  const findings = await requireCapability(storage, 'recount').run()
  assert.equal(findings.length, 1, findings.join('\n'))
  assert.match(findings[0] ?? '', /^2026-02-28: /)
}

const damages: Readonly<Record<string, (path: string) => void>> = {
  ...FILE_DAMAGES,
  ...Object.fromEntries(
    PAGE_KINDS.map((kind) => [`a page damaged: ${kind}`, (path: string) => damagePage(path, kind)]),
  ),
}

/** What a repair may lose: what was on the page, and nothing for what is there twice or can be computed. */
const lostMax: Readonly<Record<string, number>> = {
  'its second half cut off': EVENTS_PER_DAY,
  'its end cut off within a page': 60,
  'random bytes': EVENTS_PER_DAY,
  'a page damaged: event leaf': 60,
  'a page damaged: event interior': 60,
  'a page damaged: message leaf': 120,
}

describe('a damaged day', () => {
  for (const [name, damage] of Object.entries(damages)) {
    test(`${name}: the other days go on, and the day comes back after a repair`, async () => {
      const { folder, bad } = await copyFolder()
      using _folder = folder
      damage(bad)
      const before = readFileSync(bad)
      const storage = await openAt(folder.path)
      await storage.capabilities.recount?.run()
      // Events of other days, alone and with events of the damaged one.
      for (let index = 0; index < 40; index++) {
        const mixed = [event(10_000 + index, 0), event(10_000 + index, 1), event(10_000 + index, 2)]
        await assert.rejects(storage.log.append(mixed), isSetAside)
        assert.equal((await storage.log.append([event(20_000 + index, index % 2 === 0 ? 0 : 2)])).stored, 1)
      }
      assert.deepEqual(await storage.log.append([event(10_000, 0), event(10_000, 2)]), {
        stored: 0,
        duplicates: 2,
        expired: [],
      })
      assert.equal(storage.health.writable, true)
      await assertOthersWork(storage, 120)
      await findTrouble(storage)
      assert.deepEqual(readFileSync(bad), before, 'nothing is written to it')

      const repair = await requireCapability(storage, 'repair').run(BAD)
      assert.deepEqual(storage.capabilities.troubles?.list(), [])
      assert.deepEqual(await requireCapability(storage, 'recount').run(), [])
      assert.equal(repair.saved + repair.lost, EVENTS_PER_DAY)
      assert.ok(repair.lost <= (lostMax[name] ?? 0), `${repair.lost} events are lost`)
      const all = await listAll(storage)
      assert.equal(all.length, 2 * EVENTS_PER_DAY + 120 + repair.saved)
      assert.equal(await countAll(storage), all.length)
      assert.equal(await sumSeries(storage), all.length)
      // What was lost is stored again, what was saved is not stored twice.
      const again = await storage.log.append(Array.from({ length: EVENTS_PER_DAY }, (_, index) => event(index, 1)))
      assert.deepEqual(again, { stored: EVENTS_PER_DAY - repair.saved, duplicates: repair.saved, expired: [] })
      assert.equal((await listAll(storage)).length, 3 * EVENTS_PER_DAY + 120)
      await storage.close()
      const kept = readdirSync(join(folder.path, 'events')).filter((file) => file.startsWith(`${BAD}.db.`))
      assert.deepEqual(kept, [`${BAD}.db.damaged-1`])
      assert.deepEqual(readFileSync(join(folder.path, 'events', `${BAD}.db.damaged-1`)), before)
    })
  }

  test('a bit that flipped within a text, which SQLite cannot notice, is found by recount, and costs one event', async () => {
    const { folder, bad } = await copyFolder()
    using _folder = folder
    const bytes = readFileSync(bad)
    // In the first row of a page: what is elsewhere in it may be the rest of an earlier version.
    const page = ((findPages(bad, 'event leaf')[0] ?? 0) - 1) * 4096
    const at = bytes.indexOf('a response of the receiving server', page + bytes.readUInt16BE(page + 8))
    assert.ok(at > 0)
    overwrite(bad, at, Buffer.from('A'))
    const storage = await openAt(folder.path)
    assert.equal((await listAll(storage)).length, 3 * EVENTS_PER_DAY)
    const [finding] = await requireCapability(storage, 'recount').run()
    assert.match(finding ?? '', /^2026-02-28: damaged, set aside: 1 row does not match its hash/)
    const { saved, lost, lostByHour } = await requireCapability(storage, 'repair').run(BAD)
    assert.deepEqual({ saved, lost }, { saved: EVENTS_PER_DAY - 1, lost: 1 })
    assert.equal(
      lostByHour.reduce((sum, count) => sum + count),
      1,
      'its hour is known',
    )
    assert.deepEqual(await requireCapability(storage, 'recount').run(), [])
    await storage.close()
  })

  test('whoever follows arrivals gets each event of the other days once, and those of the repaired day that arrive later', async () => {
    const { folder, bad } = await copyFolder()
    using _folder = folder
    damagePage(bad, 'arrivals')
    const storage = await openAt(folder.path)
    await storage.capabilities.recount?.run()
    let after = await storage.log.arrivals.last()
    const seen: string[] = []
    const follow = async () => {
      for (let hasMore = true; hasMore; ) {
        const query = { domains: DOMAINS, filters: {}, after, limit: 50, budgetMs: 1000 }
        const page = await storage.log.arrivals.list(query)
        for (const { text } of page.events) seen.push((JSON.parse(text) as { id: string }).id)
        after = page.position
        hasMore = page.hasMore
      }
    }
    await storage.log.append([event(30_000, 0), event(30_000, 2)])
    await follow()
    await requireCapability(storage, 'repair').run(BAD)
    await follow()
    await storage.log.append([event(30_001, 0), event(30_001, 1)])
    await follow()
    assert.deepEqual(seen.toSorted(), ['message-0-30000', 'message-0-30001', 'message-1-30001', 'message-2-30000'])
    await storage.close()
  })

  test('an interrupted repair: the next start has the damaged day as it was, and no remains of the new file', async () => {
    const { folder, bad } = await copyFolder()
    using _folder = folder
    damagePage(bad, 'event leaf')
    const before = readFileSync(bad)
    // As a process leaves them that is killed between the two names.
    renameSync(bad, `${bad}.damaged-1`)
    writeFileSync(`${bad}.repair.draft`, 'half of it')
    const storage = await openAt(folder.path)
    assert.deepEqual(readFileSync(bad), before)
    assert.deepEqual(
      readdirSync(join(folder.path, 'events')).filter((name) => /draft|damaged/.test(name)),
      [],
    )
    await storage.capabilities.recount?.run()
    assert.ok((await requireCapability(storage, 'repair').run(BAD)).saved > 0)
    await storage.close()
  })

  test('a damaged file of another installation is not repaired: it would become ours', async () => {
    const { folder, bad } = await copyFolder()
    using _folder = folder
    using other = openTemporaryFolder()
    const foreign = await openAt(other.path)
    await foreign.log.append(Array.from({ length: 500 }, (_, index) => event(index, 1)))
    await foreign.close()
    const storage = await openAt(folder.path)
    copyFileSync(join(other.path, 'events', `${BAD}.db`), bad)
    damagePage(bad, 'event leaf')
    await assert.rejects(requireCapability(storage, 'repair').run(BAD), { code: 'conflict', message: /installation/ })
    await storage.close()
  })

  test('the present day damaged: storage is not writable, and says so until the repair', async () => {
    const { folder } = await copyFolder()
    using _folder = folder
    damagePage(join(folder.path, 'events', '2026-03-01.db'), 'event interior')
    const storage = await openAt(folder.path)
    await storage.capabilities.recount?.run()
    assert.equal(storage.health.writable, false)
    await requireCapability(storage, 'repair').run('2026-03-01')
    assert.equal(storage.health.writable, true)
    await storage.close()
  })

  test('retention removes an expired damaged day: what can be read of it still counts, and no file of it is left', async () => {
    const { folder, bad } = await copyFolder()
    using _folder = folder
    damagePage(bad, 'event leaf')
    const storage = await openAt(folder.path)
    await storage.capabilities.recount?.run()
    const before = await countAll(storage)
    assert.deepEqual(await storage.log.removeBefore((NOW - DAY) * 1000), ['2026-02-27'])
    assert.equal(storage.capabilities.troubles?.list().length, 1)
    assert.deepEqual(await storage.log.removeBefore((NOW - DAY / 2) * 1000), [BAD])
    assert.deepEqual(storage.capabilities.troubles?.list(), [])
    const counted = await countAll(storage)
    assert.ok(counted > before + EVENTS_PER_DAY - 100 && counted < before + EVENTS_PER_DAY, String(counted))
    await storage.close()
    const left = readdirSync(join(folder.path, 'events')).filter((file) => !file.startsWith('2026-03-01.db'))
    assert.deepEqual(left, [])
  })

  test('retention forgets an expired day that is missing, and keeps one that is not ours', async () => {
    const { folder, bad } = await copyFolder()
    using _folder = folder
    rmSync(bad)
    copyFileSync(join(folder.path, 'events', '2026-03-01.db'), join(folder.path, 'events', '2026-02-27.db'))
    const storage = await openAt(folder.path)
    const kinds = () => storage.capabilities.troubles?.list().map(({ day, kind }) => [day, kind])
    assert.deepEqual(kinds(), [
      [BAD, 'missing'],
      ['2026-02-27', 'foreign'],
    ])
    assert.deepEqual(await storage.log.removeBefore((NOW - DAY / 2) * 1000), [])
    assert.deepEqual(kinds(), [['2026-02-27', 'foreign']])
    await storage.close()
  })

  test('the size of a day has the number of events that are left: neither lost nor erased ones', async () => {
    const { folder, bad } = await copyFolder()
    using _folder = folder
    damagePage(bad, 'event leaf')
    const storage = await openAt(folder.path)
    await storage.capabilities.recount?.run()
    const { saved, lost } = await requireCapability(storage, 'repair').run(BAD)
    assert.ok(lost > 0)
    const eventsOf = async (day: string) =>
      (await storage.capabilities.days?.list())?.find((use) => use.day === day)?.events
    assert.equal(await eventsOf(BAD), saved)
    assert.equal(await eventsOf('2026-03-01'), EVENTS_PER_DAY)
    let position: string | undefined
    do position = (await storage.log.erase({ what: 'recipient', address: 'person7@example.net' }, position)).next
    while (position !== undefined)
    assert.equal(await eventsOf('2026-03-01'), EVENTS_PER_DAY - 1)
    await storage.close()
    // From the history index, once the days are in it.
    const again = await openAt(folder.path)
    await untilSummarized(again)
    assert.equal((await again.capabilities.days?.list())?.at(0)?.events, EVENTS_PER_DAY - 1)
    await again.close()
  })
})
