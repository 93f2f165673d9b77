/** A lost, older or swapped control.db never shows events of one domain under another. */
import assert from 'node:assert/strict'
import { copyFileSync, existsSync, readdirSync, rmSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { addDomain, append, openAt, shownFor, withStorage } from '../../../../test/harness/storage/data-folders.ts'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import { AppError } from '../../../lib/app-error.ts'
import { Database } from '../database/database.ts'
import { adoptEvents } from './adopt-events.ts'

const control = (dataDir: string) => join(dataDir, 'control.db')

function refusal(pattern: RegExp) {
  return (error: unknown) => {
    assert(error instanceof AppError && error.code === 'conflict', String(error))
    assert.match(error.message, pattern)
    return true
  }
}

test('without control.db the server does not start, and does not create another one', async () => {
  using folder = openTemporaryFolder()
  await withStorage(folder.path, async (storage) => {
    await append(storage, await addDomain(storage, 'a.test'), 0, 'secret of a')
  })
  rmSync(control(folder.path))
  const missing = refusal(
    /control\.db is missing, but there are events \(up to 2026-03-01\)\. Restore it from a backup/,
  )
  await assert.rejects(openAt(folder.path), missing)
  assert.equal(existsSync(control(folder.path)), false)
  assert.throws(() => adoptEvents(folder.path), missing)
})

test('an empty control.db is refused like a missing one', async () => {
  using folder = openTemporaryFolder()
  await withStorage(folder.path, async (storage) => {
    await append(storage, await addDomain(storage, 'a.test'), 0, 'secret of a')
  })
  truncateSync(control(folder.path), 0)
  await assert.rejects(openAt(folder.path), refusal(/control\.db is empty, but there are events/))
})

test('a control.db that is older than the events is refused, and its numbers are not handed out again after adopting it', async () => {
  using folder = openTemporaryFolder()
  using backups = openTemporaryFolder()
  const backup = join(backups.path, 'control.db')
  await withStorage(folder.path, async (storage) => {
    await append(storage, await addDomain(storage, 'a.test'), 1, 'of a')
  })
  copyFileSync(control(folder.path), backup)
  await withStorage(folder.path, async (storage) => {
    await append(storage, await addDomain(storage, 'b.test'), 0, 'secret of b')
  })
  copyFileSync(backup, control(folder.path))
  await assert.rejects(
    openAt(folder.path),
    refusal(
      /^control\.db is older than the events: events\/2026-03-01\.db refers to domain 2, .* none above 1\. Restore .* bin\/envelog days adopt$/,
    ),
  )
  assert.deepEqual(adoptEvents(folder.path), { days: 2, highestNumber: 2 })
  await withStorage(folder.path, async (storage) => {
    assert.deepEqual(await shownFor(storage, 1), ['of a'])
    const number = await addDomain(storage, 'c.test')
    assert.equal(number, 3)
    assert.deepEqual(await shownFor(storage, number), [])
    assert.deepEqual(storage.capabilities.troubles?.list(), [])
  })
})

test('the control.db of another installation is refused, and cannot be adopted where it means other domains', async () => {
  using folder = openTemporaryFolder()
  using other = openTemporaryFolder()
  await withStorage(folder.path, async (storage) => {
    await append(storage, await addDomain(storage, 'a.test'), 0, 'secret of a')
  })
  await withStorage(other.path, (storage) => addDomain(storage, 'b.test'))
  copyFileSync(control(other.path), control(folder.path))
  await assert.rejects(
    openAt(folder.path),
    refusal(/^control\.db and events\/2026-03-01\.db are of different installations\. Restore /),
  )
  assert.throws(
    () => adoptEvents(folder.path),
    refusal(/says that domain 1 is a\.test, and control\.db says that it is b\.test\. Nothing was changed/),
  )
  await assert.rejects(openAt(folder.path), refusal(/different installations/))
})

test('a day in which a number means another domain is set aside', async () => {
  using folder = openTemporaryFolder()
  await withStorage(folder.path, async (storage) => {
    const number = await addDomain(storage, 'a.test')
    await append(storage, number, 0, 'of a')
    await append(storage, number, 1, 'of somebody else')
  })
  const db = new Database(join(folder.path, 'events', '2026-02-28.db'))
  db.run("UPDATE domain_claim SET id = 'another', name = 'b.test'")
  db.close()
  await withStorage(folder.path, async (storage) => {
    assert.deepEqual(await shownFor(storage, 1), ['of a'])
    const [trouble] = storage.capabilities.troubles?.list() ?? []
    assert.equal(trouble?.kind, 'foreign')
    assert.match(trouble.detail, /domain 1 is b\.test, and control\.db says that it is a\.test/)
  })
})

test('events of a number that control.db does not know reserve it', async () => {
  using folder = openTemporaryFolder()
  await withStorage(folder.path, async (storage) => {
    await append(storage, 41, 0, 'of nobody')
    assert.equal(await addDomain(storage, 'a.test'), 42)
  })
  await withStorage(folder.path, async (storage) => assert.deepEqual(storage.capabilities.troubles?.list(), []))
})

test('the claim of a batch that failed is written with the next one', async () => {
  using folder = openTemporaryFolder()
  await withStorage(folder.path, async (storage) => {
    const number = await addDomain(storage, 'a.test')
    await append(storage, await addDomain(storage, 'b.test'), 0, 'first')
    const path = join(folder.path, 'events', '2026-03-01.db')
    const blocking = new Database(path)
    blocking.execute("CREATE TRIGGER full BEFORE INSERT ON arrival_batch BEGIN SELECT RAISE(ABORT, 'no'); END")
    await assert.rejects(append(storage, number, 0, 'second'))
    blocking.execute('DROP TRIGGER full')
    await append(storage, number, 0, 'second')
    assert.deepEqual(blocking.allArrays('SELECT number, name FROM domain_claim'), [
      [1, 'a.test'],
      [2, 'b.test'],
    ])
    blocking.close()
  })
  assert.deepEqual(readdirSync(join(folder.path, 'events')), ['2026-03-01.db'])
})
