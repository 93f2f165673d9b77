/** A day that the disk does not return is set aside, and used again as soon as it can be read: nobody has to do anything. */
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, renameSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { addDomain, append, openAt, shownFor, withStorage } from '../../../../test/harness/storage/data-folders.ts'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import { type DayTrouble, requireCapability, type Storage } from '../../storage.ts'

const [TODAY, YESTERDAY] = ['2026-03-01', '2026-02-28'] as const

const kinds = ({ capabilities }: Storage) => (capabilities.troubles?.list() ?? []).map(({ day, kind }) => [day, kind])

/** Today and yesterday, with an event each. The file of a day cannot be opened while a folder has its name. */
async function openScene() {
  const folder = openTemporaryFolder()
  await withStorage(folder.path, async (storage) => {
    const number = await addDomain(storage, 'a.test')
    await append(storage, number, 0, 'today')
    await append(storage, number, 1, 'yesterday')
  })
  const pathOf = (day: string) => join(folder.path, 'events', `${day}.db`)
  return {
    folder,
    pathOf,
    hide(day: string) {
      renameSync(pathOf(day), `${pathOf(day)}.hidden`)
      mkdirSync(pathOf(day))
    },
    show(day: string) {
      rmdirSync(pathOf(day))
      renameSync(`${pathOf(day)}.hidden`, pathOf(day))
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}

function nextTakenBack(storage: Storage): Promise<DayTrouble> {
  const { promise, resolve } = Promise.withResolvers<DayTrouble>()
  requireCapability(storage, 'troubles').follow(() => undefined, resolve)
  return promise
}

test('a day that cannot be read at the start is used again when it can be, and storage is writable then', async () => {
  using scene = await openScene()
  scene.hide(TODAY)
  const storage = await openAt(scene.folder.path)
  assert.deepEqual(kinds(storage), [[TODAY, 'unreadable']])
  assert.equal(storage.health.writable, false)
  assert.deepEqual(await shownFor(storage, 1), ['yesterday'])
  await assert.rejects(append(storage, 1, 0, 'late'), { code: 'storage_unavailable' })
  const takenBack = nextTakenBack(storage)
  scene.show(TODAY)
  assert.equal((await takenBack).day, TODAY)
  assert.deepEqual(kinds(storage), [])
  assert.equal(storage.capabilities.troubles?.takenBack, 1)
  assert.equal(storage.health.writable, true)
  assert.equal((await append(storage, 1, 0, 'late')).stored, 1)
  assert.deepEqual(await shownFor(storage, 1), ['late', 'today', 'yesterday'])
  assert.deepEqual(await storage.capabilities.recount?.run(), [])
  await storage.close()
})

test('a day that can be read again, but whose content is wrong, is damaged from then on, also after a restart', async () => {
  using scene = await openScene()
  scene.hide(YESTERDAY)
  const storage = await openAt(scene.folder.path)
  const { promise: damaged, resolve } = Promise.withResolvers<DayTrouble>()
  requireCapability(storage, 'troubles').follow((trouble) => trouble.kind === 'damaged' && resolve(trouble))
  const hidden = `${scene.pathOf(YESTERDAY)}.hidden`
  const broken = readFileSync(hidden)
  // Not in the first pages, which every start reads.
  broken.fill(7, broken.length - 4096)
  writeFileSync(hidden, broken)
  scene.show(YESTERDAY)
  assert.match((await damaged).detail, /envelog repair 2026-02-28/)
  assert.deepEqual(kinds(storage), [[YESTERDAY, 'damaged']])
  assert.deepEqual(await shownFor(storage, 1), ['today'])
  await storage.close()
  await withStorage(scene.folder.path, async (again) => assert.deepEqual(kinds(again), [[YESTERDAY, 'damaged']]))
})

test('a day of which SQLite reads nothing, although the disk returns all of it, is damaged, too', async () => {
  using scene = await openScene()
  scene.hide(YESTERDAY)
  await withStorage(scene.folder.path, async (storage) => {
    const hidden = `${scene.pathOf(YESTERDAY)}.hidden`
    const broken = readFileSync(hidden)
    // All but the first page, which tells that it is a database.
    broken.fill(7, 4096)
    writeFileSync(hidden, broken)
    scene.show(YESTERDAY)
    await storage.capabilities.recount?.run()
    assert.deepEqual(kinds(storage), [[YESTERDAY, 'damaged']])
    assert.match(
      storage.capabilities.troubles?.list()[0]?.detail ?? '',
      /although the disk returns all of it.*envelog repair/,
    )
  })
})

test('recount reads an unreadable day again, without waiting for its time', async () => {
  using scene = await openScene()
  scene.hide(YESTERDAY)
  await withStorage(scene.folder.path, async (storage) => {
    assert.match((await storage.capabilities.recount?.run())?.[0] ?? '', /^2026-02-28: unreadable, set aside: /)
    scene.show(YESTERDAY)
    assert.deepEqual(await storage.capabilities.recount?.run(), [])
    assert.deepEqual(kinds(storage), [])
    assert.deepEqual(await shownFor(storage, 1), ['today', 'yesterday'])
  })
})

test('an unreadable day that is lost is missing, and not made anew', async () => {
  using scene = await openScene()
  scene.hide(YESTERDAY)
  await withStorage(scene.folder.path, async (storage) => {
    rmdirSync(scene.pathOf(YESTERDAY))
    await storage.capabilities.recount?.run()
    assert.deepEqual(kinds(storage), [[YESTERDAY, 'missing']])
    await assert.rejects(append(storage, 1, 1, 'late'), { code: 'storage_unavailable' })
  })
})

test('an unreadable day is not accepted as it is', async () => {
  using scene = await openScene()
  scene.hide(YESTERDAY)
  await withStorage(scene.folder.path, async (storage) => {
    await assert.rejects(requireCapability(storage, 'troubles').accept(YESTERDAY), { code: 'conflict' })
    assert.deepEqual(kinds(storage), [[YESTERDAY, 'unreadable']])
  })
})
