/** The contract of every RemovalStore: what goes at once when a tenant or a domain is removed, and how the rest is remembered. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { NOTHING_REMOVED } from '../../../events/removal/removal.ts'
import { NO_SESSIONS } from '../../../tenants/session-store.ts'
import type { Storage } from '../../storage.ts'
import { burst } from '../log-scene.ts'
import { newDomain, OTHER_TENANT, TENANT } from './domain-scene.ts'

type Open<Part extends keyof Storage> = () => Promise<Pick<Storage, Part> & AsyncDisposable>

const NOW_MS = 1_800_000_000_000
const removal = (index: number) => ({
  id: `01890000-0000-7000-9000-${String(index).padStart(12, '0')}`,
  requestedBy: 'local',
  requestedAtMs: NOW_MS + index,
})

async function openScene<Part extends keyof Storage>(open: Open<Part | 'control'>) {
  const storage = await open()
  const { keys, domains } = storage.control
  for (const [id, name] of [
    [TENANT, 'acme'],
    [OTHER_TENANT, 'rival'],
  ] as const) {
    await keys.createTenant({ id, clientId: `client_${name}`, name, createdAtMs: 1 })
    const secretHash = new Uint8Array(32)
    await keys.createKey({ id: `key_${name}`, secretHash, tenantId: id, scopes: ['logs'], createdAtMs: 1 })
  }
  const own = [await domains.create(newDomain(1)), await domains.create(newDomain(2))] as const
  const other = await domains.create(newDomain(3, { tenantId: OTHER_TENANT }))
  return { storage, own, other, ...storage.control }
}

export function removalStoreContract(open: Open<'control'>): void {
  describe('removing', () => {
    test('a tenant goes with its keys, sessions and domains, and the other tenant stays as it is', async () => {
      const { storage, own, other, keys, domains, sessions, views, removals } = await openScene(open)
      await using _ = storage
      const ended = { epoch: 3, ended: [] }
      for (const key of ['key_acme', 'key_rival']) await sessions.saveSessions(key, NO_SESSIONS, ended)
      const view = { name: 'mine', query: '', savedAtMs: 1 }
      for (const key of ['key_acme', 'key_rival']) await views.saveView(key, view, 1)
      // Cached ones go too.
      assert.ok((await keys.findKey('key_acme')) && (await domains.findByName(own[0].name)))
      assert.equal(await removals.removeTenant('nobody', removal(1)), undefined)
      const removed = await removals.removeTenant(TENANT, removal(2))
      assert.deepEqual(removed, {
        ...removal(2),
        kind: 'tenant',
        object: TENANT,
        domainNumbers: own.map(({ number }) => number),
        stage: 'events',
        result: NOTHING_REMOVED,
      })
      assert.equal(await keys.findTenant(TENANT), undefined)
      assert.equal(await keys.findKey('key_acme'), undefined)
      assert.deepEqual(await sessions.findSessions('key_acme'), NO_SESSIONS)
      assert.equal(await domains.findByName(own[0].name), undefined)
      assert.deepEqual(await domains.listNames(TENANT), [])
      assert.equal((await keys.findKey('key_rival'))?.tenant?.name, 'rival')
      assert.deepEqual(await sessions.findSessions('key_rival'), ended)
      assert.deepEqual([await views.listViews('key_acme'), await views.listViews('key_rival')], [[], [view]])
      assert.deepEqual(await domains.findByName(other.name), other)
      assert.equal(await removals.removeTenant(TENANT, removal(3)), undefined)
    })

    test('the name of a removed domain can be added again, under a number that was never used', async () => {
      const { storage, own, other, domains, removals } = await openScene(open)
      await using _ = storage
      assert.equal((await removals.removeDomain(own[1].id, removal(1)))?.object, own[1].name)
      await removals.removeDomain(other.id, removal(2))
      const again = await domains.create({ ...newDomain(3), id: newDomain(9).id })
      assert.deepEqual(await domains.listNames(TENANT), [
        { name: own[0].name, number: own[0].number },
        { name: again.name, number: again.number },
      ])
      assert.ok(again.number > other.number)
      assert.equal((await domains.findByName(own[0].name))?.number, own[0].number)
    })

    test('progress is stored, the address is forgotten with the last stage, and the result stays', async () => {
      const { storage, removals } = await openScene(open)
      await using _ = storage
      const added = await removals.addRecipient('anna@b.test', 'sha256:1', removal(1))
      assert.deepEqual([added.stage, added.address, added.kind], ['hits', 'anna@b.test', 'recipient'])
      await removals.addRecipient('bob@b.test', 'sha256:2', removal(2))
      const result = { events: 7, units: ['2026-03-01'], quarantined: 0, hits: 1, deletedFiles: [], problems: [] }
      await removals.save(added.id, { stage: 'events', position: '2026-03-01+', result })
      assert.deepEqual(await removals.find(added.id), { ...added, stage: 'events', position: '2026-03-01+', result })
      await removals.save(added.id, { stage: 'scrub', result })
      const { address: _address, ...rest } = added
      assert.deepEqual(await removals.find(added.id), { ...rest, stage: 'scrub', result })
      assert.equal(await removals.scrub(), true)
      await removals.finish(added.id, NOW_MS)
      await removals.finish(added.id, NOW_MS + 1)
      await removals.save(added.id, { stage: 'events', result: NOTHING_REMOVED })
      assert.deepEqual(await removals.find(added.id), { ...rest, stage: 'scrub', result, finishedAtMs: NOW_MS })
      assert.deepEqual(
        (await removals.listUnfinished()).map(({ id }) => id),
        [removal(2).id],
      )
      assert.deepEqual(
        (await removals.list(1)).map(({ id }) => id),
        [removal(2).id],
      )
      // Whichever was stored first.
      for (const index of [6, 5]) await removals.addRecipient('eve@b.test', `sha256:${index}`, removal(index))
      const unfinished = (await removals.listUnfinished()).map(({ id }) => id)
      assert.deepEqual(
        unfinished,
        [2, 5, 6].map((index) => removal(index).id),
      )
      const latest = (await removals.list(3)).map(({ id }) => id)
      assert.deepEqual(latest, unfinished.toReversed())
    })
  })
}

/** For whole engines: the log knows what was removed. */
export function removedDomainsContract(open: Open<'log' | 'control'>): void {
  test('no event of a removed domain is stored any more, also one that is on its way', async () => {
    const { storage, own, removals } = await openScene(open)
    await using _ = storage
    const [gone, kept] = [own[0], own[1]]
    await storage.log.append([burst(1, gone), burst(1, kept)])
    await removals.removeDomain(gone.id, removal(1))
    const appended = await storage.log.append([burst(2, gone), burst(2, kept), burst(3, gone)])
    assert.deepEqual(appended, { stored: 1, duplicates: 0, expired: [0, 2] })
  })
}
