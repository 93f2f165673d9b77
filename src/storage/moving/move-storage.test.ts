/** A move into PostgreSQL and a second log; that it ends well on ClickHouse is tested in test/e2e/. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { PostgresDatabases } from '../../../test/harness/storage/postgres-databases.ts'
import { openTestStorage } from '../../../test/harness/storage/sqlite-storage.ts'
import type { AttributedEvent, EventLog } from '../../events/log/event-log.ts'
import { AppError } from '../../lib/app-error.ts'
import type { EventCounts } from '../../stats/event-counts.ts'
import { newDomain, TENANT } from '../contract/control/domain-scene.ts'
import { attributedEvents, BASE_TIMESTAMP } from '../contract/event-arbitraries.ts'
import { openControl } from '../postgres/control/open-control.ts'
import { requireNotMoved } from '../sqlite/manifest/moved-marker.ts'
import type { Storage } from '../storage.ts'
import { type MoveOptions, type MoveTarget, moveStorage } from './move-storage.ts'

const NOW_MS = (BASE_TIMESTAMP + 5 * 86_400) * 1000
const clock = () => NOW_MS

type Source = Awaited<ReturnType<typeof openTestStorage>>

describe('moveStorage', () => {
  let databases: PostgresDatabases
  before(async () => {
    databases = await PostgresDatabases.start()
  })
  after(() => databases[Symbol.asyncDispose]())

  async function openScene() {
    const resources = new AsyncDisposableStack()
    const source = resources.use(await openTestStorage(clock))
    const domains = await fillControl(source)
    const target = resources.use(await openTestStorage(() => 1))
    const control = await openControl({ url: await databases.create(), isMoving: true })
    resources.defer(control.close)
    const changes = new Map<number, number>()
    const targetOf = (log: EventLog & EventCounts): MoveTarget => ({
      db: control.db,
      log: withChanges(log, changes),
      keepChanges: async (kept) => {
        for (const [number, changedAtMs] of kept) changes.set(number, changedAtMs)
      },
      keepErased: async () => undefined,
      requireSecret: () => undefined,
      keepSecrets: async () => undefined,
    })
    const options = (changes: Partial<MoveOptions> = {}): MoveOptions => ({
      dataDir: source.dataDir,
      target: targetOf(target.log),
      clock,
      takeOver: async () => ({ log: source.log, close: async () => undefined }),
      waits: false,
      pages: 30,
      seed: 1,
      chunkEvents: 7,
      ...changes,
    })
    return {
      source,
      target,
      targetOf,
      control,
      domains,
      options,
      [Symbol.asyncDispose]: () => resources.disposeAsync(),
    }
  }

  test('moves events, counts and control data, and the pages are the same', async () => {
    await using scene = await openScene()
    const { source, control, domains } = scene
    const events = sampleEvents(domains, 200)
    for (let at = 0; at < events.length; at += 9) await source.log.append(events.slice(at, at + 9))
    const { end, ...moved } = await moveStorage(scene.options())
    assert.deepEqual(end?.comparison.differences, [])
    assert.ok((end?.comparison.events ?? 0) > 0)
    assert.equal(moved.duplicates, 0)
    assert.deepEqual(await control.stores.keys.listTenants(), await source.control.keys.listTenants())
    assert.deepEqual(await control.stores.keys.listKeys(), await source.control.keys.listKeys())
    assert.equal((await control.stores.views.listViews('key')).length, 1)
    assert.deepEqual(await control.stores.views.listViews('key'), await source.control.views.listViews('key'))
    const all = { skip: 0, take: 100, orderBy: { field: 'name', direction: 'asc' } } as const
    assert.deepEqual(await control.stores.domains.list(all), await source.control.domains.list(all))
    assert.throws(() => requireNotMoved(source.dataDir), /was moved to ClickHouse at /)
  })

  test('numbers of domains continue where they were', async () => {
    await using scene = await openScene()
    const { source, control } = scene
    const last = await source.control.domains.create(newDomain(8))
    await source.control.removals.removeDomain(last.id, { id: randomUUID(), requestedBy: 'x', requestedAtMs: 1 })
    await moveStorage(scene.options())
    const next = await control.stores.domains.create(newDomain(9))
    assert.equal(next.number, last.number + 1)
  })

  test('while the server runs, a move is not finished; the next run moves what has arrived since', async () => {
    await using scene = await openScene()
    const { source, domains } = scene
    const events = sampleEvents(domains, 120)
    await source.log.append(events.slice(0, 50))
    const first = await moveStorage(scene.options({ takeOver: async () => undefined }))
    assert.equal(first.end, undefined)
    await source.log.append(events.slice(50))
    await source.control.domains.create(newDomain(7))
    const second = await moveStorage(scene.options())
    assert.deepEqual(second.end?.comparison.differences, [])
    assert.equal(second.end?.control.domain, 3)
  })

  test('an interrupted move continues, and stores nothing twice', async () => {
    await using scene = await openScene()
    const { source, domains, target } = scene
    await source.log.append(sampleEvents(domains, 150))
    let appends = 0
    const failing = { ...target.log, append: interruptedAt(target.log, () => ++appends === 3) }
    await assert.rejects(moveStorage(scene.options({ target: scene.targetOf(failing) })), /interrupted/)
    const { end } = await moveStorage(scene.options())
    assert.deepEqual(end?.comparison.differences, [])
  })

  test('what was erased in the old storage during the move is erased in the new one', async () => {
    await using scene = await openScene()
    const { source, domains } = scene
    const [first] = domains
    const event = (recipient: string, id: string): AttributedEvent => ({
      domainNumber: first ?? 0,
      event: { id, recipient, timestamp: BASE_TIMESTAMP, type: 'Delivery', domain_name: 'd001.test' },
    })
    await source.log.append([event('Anna@b.test', '1'), event('otto@b.test', '2')])
    await moveStorage(scene.options({ takeOver: async () => undefined }))
    await eraseRecipient(source, 'anna@b.test')
    await source.log.append([event('anna@b.test', '3')])
    // A run that was killed has the right to erase for another while.
    let attempts = 0
    const erase: EventLog['erase'] = (erasure, after) =>
      ++attempts === 1
        ? Promise.resolve({ removed: 0, isWaiting: true, next: 'start' })
        : scene.target.log.erase(erasure, after === 'start' ? undefined : after)
    const target = scene.targetOf({ ...scene.target.log, erase })
    const { end } = await moveStorage(scene.options({ target }))
    assert.deepEqual(end?.comparison.differences, [])
  })

  test('a database with rows of another installation is refused, and left as it is', async () => {
    await using scene = await openScene()
    const { control } = scene
    await control.stores.keys.createTenant({
      id: randomUUID(),
      clientId: 'c',
      name: 'Other',
      createdAtMs: 1,
      quotas: {},
    })
    await assert.rejects(moveStorage(scene.options()), isConflict(/not empty: it has rows in tenant/))
    assert.equal((await control.stores.keys.listTenants()).length, 1)
  })

  test('a difference is reported, and the old server may continue', async () => {
    await using scene = await openScene()
    const { source, domains, target } = scene
    await source.log.append(sampleEvents(domains, 60))
    await moveStorage(scene.options({ takeOver: async () => undefined }))
    const extra = sampleEvents(domains, 1)[0]
    assert.ok(extra)
    await target.log.append([{ ...extra, event: { ...extra.event, id: 'not in the old storage' } }])
    const { end } = await moveStorage(scene.options())
    assert.notDeepEqual(end?.comparison.differences, [])
    requireNotMoved(source.dataDir)
  })
})

/** Two domains of one tenant, a key, rejected records and an entry of the audit log. Returns the numbers of the domains. */
async function fillControl({ control }: Source): Promise<readonly number[]> {
  await control.keys.createTenant({ id: TENANT, clientId: 'client', name: 'Acme', createdAtMs: 1, quotas: { keys: 3 } })
  await control.keys.createKey({
    id: 'key',
    secretHash: new Uint8Array(32).fill(7),
    tenantId: TENANT,
    scopes: ['logs'],
    createdAtMs: 1,
    name: 'a key',
    networks: [],
  } as never)
  await control.views.saveView('key', { name: 'Bounces – ä', query: 'type=Bounce', savedAtMs: 3 }, 5)
  const source = { kind: 'key', name: 'k' } as never
  await control.quarantine.add(
    [{ payload: Buffer.from([0, 255, 10]), connector: 'native', source, reason: 'bad \0' }],
    5,
  )
  const domains = [await control.domains.create(newDomain(1)), await control.domains.create(newDomain(2))]
  return domains.map(({ number }) => number)
}

function sampleEvents(domains: readonly number[], count: number): readonly AttributedEvent[] {
  const lists = fc.sample(attributedEvents, { numRuns: count, seed: 42 })
  return lists
    .flat()
    .slice(0, count)
    .map((one) => ({ ...one, domainNumber: domains[one.domainNumber] ?? 0 }))
}

function withChanges(log: EventLog & EventCounts, changes: ReadonlyMap<number, number>): EventLog & EventCounts {
  return {
    ...log,
    async counts(numbers) {
      const counts = [...(await log.counts(numbers))]
      return new Map(counts.map(([number, own]) => [number, { ...own, changedAtMs: changes.get(number) ?? 1 }]))
    },
  }
}

function interruptedAt(log: EventLog, isNow: () => boolean): EventLog['append'] {
  return async (events) => {
    const result = await log.append(events)
    if (isNow()) throw new Error('interrupted')
    return result
  }
}

async function eraseRecipient({ log, control }: Storage, address: string): Promise<void> {
  const { digestOf } = await import('../../events/removal/removal.ts')
  const id = randomUUID()
  await control.removals.addRecipient(address, digestOf(id, address), { id, requestedBy: 'x', requestedAtMs: 1 })
  for (let position: string | undefined; ; ) {
    const step = await log.erase({ what: 'recipient', address }, position)
    if (step.next === undefined) break
    position = step.next
  }
  await control.removals.finish(id, NOW_MS)
}

function isConflict(words: RegExp): (error: unknown) => boolean {
  return (error) => error instanceof AppError && error.code === 'conflict' && words.test(error.message)
}
