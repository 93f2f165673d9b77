/** Erasing in files: nothing is left of what was erased, whenever it is interrupted and whatever is written meanwhile. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { damagePage } from '../../../../test/harness/storage/damage.ts'
import { openTestStorage } from '../../../../test/harness/storage/sqlite-storage.ts'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import type { AttributedEvent, Erasure } from '../../../events/log/event-log.ts'
import { AppError } from '../../../lib/app-error.ts'
import { systemClock } from '../../../lib/clock.ts'
import { nextTurn } from '../../../lib/turns/next-turn.ts'
import { eraseAll } from '../../contract/erasure.contract.ts'
import { listAll, queryOf } from '../../contract/log-scene.ts'
import { requireCapability } from '../../storage.ts'
import { DayFiles } from '../days/day-files.ts'
import { openSqliteStorage } from '../open-sqlite-storage.ts'

const DAY = 86_400
const START = 1_772_323_200
const ADDRESS = 'anna.erased@example.org'
const ANNA: Erasure = { what: 'recipient', address: ADDRESS }

const domains = Array.from({ length: 30 }, (_, at) => ({ number: at + 1, name: `d${at}.test` }))

/** Messages of many domains in turns, so that pages are split again and again; one in fifty is Anna's. */
function traffic(count: number, day: number, from = 0): readonly AttributedEvent[] {
  return Array.from({ length: count }, (_, at) => {
    const domain = domains[at % domains.length]
    const isAnna = at % 50 === 7
    const recipient = isAnna ? (at % 100 === 7 ? ADDRESS : ADDRESS.toUpperCase()) : `user${at + from}@example.org`
    return {
      domainNumber: domain?.number ?? 0,
      event: {
        id: `message ${day} ${at + from}`,
        timestamp: START + day * DAY + at,
        type: isAnna ? 'Bounce' : 'Delivery',
        domain_name: domain?.name ?? '',
        recipient,
        from: isAnna && at % 150 === 7 ? `List for ${ADDRESS} <list@d.test>` : 'News <news@d.test>',
        subject: `Letter ${at % 40}`,
        response_code: isAnna ? 550 : 250,
        response_content: `5.1.1 <${recipient}> and some words`,
        peer_name: isAnna && at % 200 === 7 ? `mx for ${ADDRESS}` : `mx${at % 20}.example.org`,
        provider_name: `Provider ${at % 3}`,
      },
    }
  })
}

/** Files below the folder that contain the text, whatever its letter case. */
function filesWith(folder: string, text: string): readonly string[] {
  return readdirSync(folder, { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((path) => statSync(path).isFile() && readFileSync(path, 'latin1').toLowerCase().includes(text))
}

const isAnnas = ({ event }: AttributedEvent) => event.recipient.toLowerCase() === ADDRESS

test('nothing of an erased address is left in any file; everything else, and the proof of the counts, stays', async () => {
  await using storage = await openTestStorage()
  const events = [0, 1, 2].flatMap((day) => traffic(4000, day))
  for (let at = 0; at < events.length; at += 500) await storage.log.append(events.slice(at, at + 500))
  const numbers = domains.map(({ number }) => number)
  const counts = await storage.log.counts(numbers)
  await listAll(storage.log, queryOf(domains, 1000, { recipient: ADDRESS }))
  assert.notDeepEqual(filesWith(storage.dataDir, ADDRESS), [])

  const gone = events.filter(isAnnas).length
  assert.deepEqual(await eraseAll(storage.log, ANNA), { events: gone, units: 3 })
  assert.deepEqual(filesWith(storage.dataDir, ADDRESS), [])
  assert.equal((await listAll(storage.log, queryOf(domains, 1000))).length, events.length - gone)
  assert.deepEqual(await listAll(storage.log, queryOf(domains, 1000, { anyText: 'erased' })), [])
  assert.deepEqual(await storage.log.counts(numbers), counts)
  assert.deepEqual(await requireCapability(storage, 'recount').run(), [])
  // The index has an entry for each message that is left, and no other.
  const files = new DayFiles(storage.dataDir)
  for (const day of files.list()) {
    using db = files.openForReading(day, 1000)
    assert.equal(
      db.number('SELECT sum(length(numbers)) / 4 FROM message_signature'),
      db.number('SELECT count(*) FROM message'),
    )
  }
  // Keys of texts are not given out twice: new texts are shown as they are.
  const later = traffic(60, 1, 100_000)
  await storage.log.append(later)
  const shown = await listAll(storage.log, queryOf(domains, 1000, { recipient: ADDRESS }))
  const peersOf = (events: readonly { readonly peer_name?: string }[]) => events.map(({ peer_name: peer = '' }) => peer)
  assert.deepEqual(
    peersOf(shown).toSorted(byText),
    peersOf(later.filter(isAnnas).map(({ event }) => event)).toSorted(byText),
  )
})

function byText(a: string, b: string): number {
  return a < b ? -1 : 1
}

test('interrupted after any step and continued by another process, it erases the same', async () => {
  using folder = openTemporaryFolder()
  const open = () =>
    openSqliteStorage({ dataDir: folder.path, clock: systemClock, serviceMessageIdField: 'service_message_id' })
  const first = await open()
  for (const day of [0, 1]) await first.log.append(traffic(1000, day))
  await first.close()
  let position: string | undefined
  let removed = 0
  for (let isFirst = true; isFirst || position !== undefined; isFirst = false) {
    const storage = await open()
    const step = await storage.log.erase(ANNA, position)
    removed += step.removed
    position = step.next
    await storage.close()
  }
  assert.equal(removed, 40)
  assert.deepEqual(filesWith(folder.path, ADDRESS), [])
})

test('a process that dies after each step, before the position is stored, leaves nothing either', async () => {
  await using storage = await openTestStorage()
  await storage.log.append([...traffic(500, 0), ...traffic(500, 1)])
  let position: string | undefined
  do {
    // What this step did is known to nobody.
    await storage.log.erase(ANNA, position)
    position = (await storage.log.erase(ANNA, position)).next
  } while (position !== undefined)
  assert.deepEqual(filesWith(storage.dataDir, ADDRESS), [])
})

test('while it erases, events are stored; those of a day that is being rewritten are refused and can be repeated', async () => {
  await using storage = await openTestStorage()
  for (const day of [0, 1, 2])
    for (let part = 0; part < 4; part++) await storage.log.append(traffic(1000, day, part * 1000))
  const erasing = { isDone: false }
  const done = eraseAll(storage.log, ANNA).finally(() => {
    erasing.isDone = true
  })
  let appended = 0
  for (let batch = 0; !erasing.isDone; batch++) {
    const events = traffic(6, batch % 4, 1_000_000 + batch * 10)
    for (;;) {
      const result = await storage.log.append(events).catch((error: unknown) => {
        assert.ok(error instanceof AppError && error.code === 'overloaded', String(error))
        return undefined
      })
      appended += result?.stored ?? 0
      if (result) break
      await nextTurn()
    }
  }
  await done
  assert.ok(appended > 0)
  const found = await listAll(storage.log, queryOf(domains, 1000, { recipient: '@example.org' }))
  assert.equal(found.filter(({ id }) => /\d{7}$/.test(id)).length, appended)
  assert.deepEqual(await requireCapability(storage, 'recount').run(), [])
})

test('a removed domain leaves nothing, neither rows nor counts', async () => {
  await using storage = await openTestStorage()
  for (const day of [0, 1]) await storage.log.append(traffic(3000, day))
  const [gone] = domains
  assert.ok(gone)
  await eraseAll(storage.log, { what: 'domains', domainNumbers: [gone.number] })
  assert.equal((await storage.log.counts([gone.number])).size, 0)
  const files = new DayFiles(storage.dataDir)
  for (const day of files.list()) {
    using db = files.openForReading(day, 1000)
    for (const table of ['event', 'counter', 'event_per_hour'])
      assert.equal(db.number(`SELECT count(*) FROM ${table} WHERE domain = ?`, gone.number), 0, table)
    for (const table of ['message', 'message_signature'])
      assert.equal(db.number(`SELECT count(*) FROM ${table} WHERE key >> 28 = ?`, gone.number), 0, table)
  }
  assert.deepEqual(await requireCapability(storage, 'recount').run(), [])
})

describe('the damaged file that a repair has kept', () => {
  const [other, ...rest] = domains
  assert.ok(other && rest.length > 0)
  const cases: readonly { name: string; erasure: Erasure; isDeleted: boolean }[] = [
    { name: 'is deleted if it contains the address', erasure: ANNA, isDeleted: true },
    {
      name: 'is deleted if the day had events of a removed domain',
      erasure: { what: 'domains', domainNumbers: [other.number] },
      isDeleted: true,
    },
    {
      name: 'stays if it does not contain the address',
      erasure: { what: 'recipient', address: 'nobody@example.org' },
      isDeleted: false,
    },
    {
      name: 'stays if the day had no events of the domain',
      erasure: { what: 'domains', domainNumbers: [99] },
      isDeleted: false,
    },
  ]
  for (const { name, erasure, isDeleted } of cases) {
    test(name, async () => {
      using folder = openTemporaryFolder()
      const open = () =>
        openSqliteStorage({ dataDir: folder.path, clock: systemClock, serviceMessageIdField: 'service_message_id' })
      const before = await open()
      for (const day of [0, 1]) await before.log.append(traffic(1000, day))
      await before.close()
      damagePage(new DayFiles(folder.path).path('2026-03-01'), 'event leaf')
      const storage = await open()
      await requireCapability(storage, 'recount').run()
      await requireCapability(storage, 'repair').run('2026-03-01')
      const kept = '2026-03-01.db.damaged-1'
      const deleted: string[] = []
      let position: string | undefined
      do {
        const step = await storage.log.erase(erasure, position)
        assert.equal(step.problem, undefined)
        deleted.push(...(step.deletedFiles ?? []))
        position = step.next
      } while (position !== undefined)
      await storage.close()
      assert.deepEqual(deleted, isDeleted ? [kept] : [])
      assert.equal(existsSync(join(folder.path, 'events', kept)), !isDeleted)
      if (erasure === ANNA) assert.deepEqual(filesWith(folder.path, ADDRESS), [])
    })
  }
})

describe('a day that cannot be read', () => {
  test('is reported, and the other days are erased', async () => {
    using folder = openTemporaryFolder()
    const open = () =>
      openSqliteStorage({ dataDir: folder.path, clock: systemClock, serviceMessageIdField: 'service_message_id' })
    const before = await open()
    for (const day of [0, 1, 2]) await before.log.append(traffic(200, day))
    await before.close()
    const files = new DayFiles(folder.path)
    const bytes = readFileSync(files.path('2026-03-02'))
    bytes.fill(0xa5, 4096)
    writeFileSync(files.path('2026-03-02'), bytes)
    const storage = await open()
    const problems: string[] = []
    let position: string | undefined
    do {
      const step = await storage.log.erase(ANNA, position)
      if (step.problem !== undefined) problems.push(step.unit ?? '')
      position = step.next
    } while (position !== undefined)
    await storage.close()
    assert.deepEqual(problems, ['2026-03-02'])
    assert.deepEqual(filesWith(folder.path, ADDRESS), [])
  })
})
