import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { openTemporaryFolder } from '../../../test/harness/temporary-folder.ts'
import { AppError } from '../app-error.ts'
import { DataSecret } from './data-secret.ts'
import { secretId } from './keyring.ts'
import { MASTER_KEY_FILE } from './secret-places.ts'
import type { SecretStore, StoredGeneration } from './secret-store.ts'

/** An installation that is opened again and again; what it stores stays. */
function openScene() {
  const folder = openTemporaryFolder()
  const scene = {
    dataDir: folder.path,
    masterKey: join(folder.path, MASTER_KEY_FILE),
    pending: join(folder.path, 'master.key.next'),
    stored: [] as readonly StoredGeneration[],
    given: [] as readonly Buffer[],
    data: { exists: false, opens: (_secret: Buffer) => true },
    /** What happens in place of the commit. */
    commit: (write: () => void) => write(),
    open: () =>
      DataSecret.open({
        store,
        dataDir: folder.path,
        given: () => scene.given,
        clock: () => 1000,
        findData: async () => scene.data,
      }),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
  const store: SecretStore = {
    listGenerations: async () => scene.stored,
    async replaceGenerations(generations, newestId) {
      assert.equal(scene.stored[0]?.id, newestId)
      scene.commit(() => {
        scene.stored = generations
      })
    },
  }
  return scene
}

const isConflict = (message: RegExp) => (error: unknown) =>
  error instanceof AppError && error.code === 'conflict' && message.test(error.message)

describe('the secret in the data folder', () => {
  test('is created at the first start and is the same at the next', async () => {
    using scene = openScene()
    const first = await scene.open()
    assert.equal(first.place, 'folder')
    assert.deepEqual(readdirSync(scene.dataDir), [MASTER_KEY_FILE])
    assert.deepEqual((await scene.open()).keyring.generations, first.keyring.generations)
  })

  test('of an earlier version is adopted as it is', async () => {
    using scene = openScene()
    const secret = randomBytes(32)
    writeFileSync(scene.masterKey, secret)
    scene.data = { exists: true, opens: () => false }
    const opened = await scene.open()
    assert.deepEqual(opened.keyring.generations[0].secret, secret)
    assert.deepEqual(scene.stored, [{ id: secretId(secret), createdAtMs: 1000, resealedAtMs: 1000 }])
  })

  test('is not silently replaced if there is data', async () => {
    using scene = openScene()
    scene.data = { exists: true, opens: () => true }
    await assert.rejects(scene.open(), isConflict(/is missing.*Restore it from a backup, or set ENVELOG_SECRET_FILE/))
    assert.deepEqual(readdirSync(scene.dataDir), [])
  })

  test('that is missing, damaged or of another installation is refused', async () => {
    using scene = openScene()
    const { id } = (await scene.open()).keyring.generations[0]
    writeFileSync(scene.masterKey, randomBytes(32))
    await assert.rejects(scene.open(), isConflict(new RegExp(`does not belong to the data: the data needs .* ${id}`)))
    writeFileSync(scene.masterKey, '')
    await assert.rejects(scene.open(), isConflict(/is damaged: it has 0 bytes/))
    rmSync(scene.masterKey)
    await assert.rejects(
      scene.open(),
      isConflict(new RegExp(`is missing: the data needs the secret with the id ${id}`)),
    )
  })
})

describe('the secret of the operator', () => {
  test('is used by a new installation and never written to its folder', async () => {
    using scene = openScene()
    scene.given = [randomBytes(32)]
    const opened = await scene.open()
    assert.equal(opened.place, 'operator')
    assert.deepEqual(opened.keyring.generations[0].secret, scene.given[0])
    assert.deepEqual(readdirSync(scene.dataDir), [])
    using copy = openTemporaryFolder()
    assert.deepEqual(await opened.copyTo(copy.path), { id: opened.keyring.generations[0].id })
    assert.deepEqual(readdirSync(copy.path), [])
  })

  test('that is wrong is refused, and the message says which one is needed', async () => {
    using scene = openScene()
    scene.given = [randomBytes(32)]
    const { id } = (await scene.open()).keyring.generations[0]
    scene.given = [randomBytes(32)]
    await assert.rejects(
      scene.open(),
      isConflict(new RegExp(`does not belong to the data.*${id}; given: [0-9a-f]{16}`)),
    )
    scene.given = []
    await assert.rejects(scene.open(), isConflict(new RegExp(id)))
  })

  test('that does not open the data of an earlier version is refused', async () => {
    using scene = openScene()
    scene.given = [randomBytes(32)]
    scene.data = { exists: true, opens: () => false }
    await assert.rejects(scene.open(), isConflict(/does not belong to the data/))
    assert.deepEqual(scene.stored, [])
    scene.data = { exists: true, opens: () => true }
    await scene.open()
  })

  test('replaces master.key by a rotation, after which the folder holds no secret', async () => {
    using scene = openScene()
    const before = (await scene.open()).keyring.generations[0]
    scene.given = [randomBytes(32)]
    const opened = await scene.open()
    assert.equal(opened.place, 'folder', 'until the rotation')
    assert.match(opened.warnings.join(), /still encrypted with .*master\.key.* secret rotate/)
    await opened.rotate()
    assert.equal(opened.place, 'operator')
    assert.deepEqual(readdirSync(scene.dataDir), [])
    assert.deepEqual((await scene.open()).keyring.generations[1], before)
  })

  test('in both places is used, with the advice to delete the file', async () => {
    using scene = openScene()
    await scene.open()
    scene.given = [readFileSync(scene.masterKey)]
    const opened = await scene.open()
    assert.equal(opened.place, 'operator')
    assert.match(opened.warnings.join(), /Delete the file/)
    assert(existsSync(scene.masterKey), 'the only copy may be the operator’s to delete')
  })
})

describe('a rotation', () => {
  test('makes a new secret; the earlier one stays readable with the new one alone', async () => {
    using scene = openScene()
    const opened = await scene.open()
    const sealer = opened.keyring.sealerFor('a')
    const sealed = sealer.seal(Buffer.from('x'))
    const old = readFileSync(scene.masterKey)
    const { id } = await opened.rotate()
    assert.deepEqual(readdirSync(scene.dataDir), [MASTER_KEY_FILE])
    assert.equal(statSync(scene.masterKey).mode & 0o777, 0o600)
    assert.equal(secretId(readFileSync(scene.masterKey)), id)
    assert(!Buffer.concat(scene.stored.map(({ sealedSecret = Buffer.alloc(0) }) => sealedSecret)).includes(old))
    assert.equal(sealer.open(sealed)?.toString(), 'x')
    const again = await scene.open()
    assert.equal(again.keyring.sealerFor('a').open(sealed)?.toString(), 'x')
    writeFileSync(scene.masterKey, old)
    await assert.rejects(
      scene.open(),
      isConflict(/does not belong to the data/),
      'the old secret opens nothing any more',
    )
  })

  test('with the operator’s new secret needs it first in the list; the old one may be removed afterwards', async () => {
    using scene = openScene()
    const [old, next] = [randomBytes(32), randomBytes(32)]
    scene.given = [old]
    const opened = await scene.open()
    await assert.rejects(
      opened.rotate(),
      isConflict(/is already known. Put a new one, such as .* before the present one/),
    )
    scene.given = [next, old]
    assert.equal((await scene.open()).keyring.generations[0].id, secretId(old), 'a start alone changes nothing')
    await opened.rotate()
    for (const given of [[next, old], [next], [old, next]]) {
      scene.given = given
      assert.equal((await scene.open()).keyring.generations[0].id, secretId(next))
    }
    scene.given = [old]
    await assert.rejects(scene.open(), isConflict(/does not belong to the data/))
  })

  /** Everything that a rotation does to the disk, with a process that ends there. */
  for (const [moment, interrupt] of [
    ['before the commit', () => assert.fail('ended')],
    [
      'after the commit',
      (write: () => void) => {
        write()
        assert.fail('ended')
      },
    ],
  ] as const) {
    test(`that ends ${moment} is discarded or completed by the next start, and can be repeated`, async () => {
      using scene = openScene()
      const opened = await scene.open()
      const sealed = opened.keyring.sealerFor('a').seal(Buffer.from('x'))
      scene.commit = interrupt
      await assert.rejects(opened.rotate(), /ended/)
      scene.commit = (write) => write()
      // The process that continues, and another one that starts.
      const onGoing = opened.keyring.sealerFor('a').seal(Buffer.from('y'))
      const again = await scene.open()
      assert.deepEqual(readdirSync(scene.dataDir), [MASTER_KEY_FILE])
      assert.equal(again.keyring.generations.length, moment === 'before the commit' ? 1 : 2)
      for (const bytes of [sealed, onGoing]) assert(again.keyring.sealerFor('a').open(bytes))
      await again.rotate()
      for (const bytes of [sealed, onGoing]) assert((await scene.open()).keyring.sealerFor('a').open(bytes))
    })
  }

  test('that seemed to fail and was committed is not lost by a second one in the same process', async () => {
    using scene = openScene()
    const opened = await scene.open()
    scene.commit = (write) => {
      write()
      assert.fail('ended')
    }
    await assert.rejects(opened.rotate(), /ended/)
    using copy = openTemporaryFolder()
    const { id, file = '' } = await opened.copyTo(copy.path)
    assert.equal(id, scene.stored[0]?.id)
    assert.equal(secretId(readFileSync(file)), id, 'a backup has the secret of the stored data')
    scene.commit = () => assert.fail('ended')
    await assert.rejects(opened.rotate(), /ended/)
    assert.equal((await scene.open()).keyring.generations.length, 2)
    scene.commit = (write) => write()
    await opened.rotate()
    assert.equal((await scene.open()).keyring.generations.length, 3)
    assert.deepEqual(readdirSync(scene.dataDir), [MASTER_KEY_FILE])
  })

  test('is refused at eight generations until one is forgotten', async () => {
    using scene = openScene()
    const opened = await scene.open()
    for (let index = 1; index < 8; index++) await opened.rotate()
    await assert.rejects(opened.rotate(), isConflict(/Forget the oldest first/))
    assert(!existsSync(scene.pending))
    const [newest] = opened.keyring.generations
    await opened.markResealed(newest.id)
    await opened.forget(opened.keyring.generations.at(-1)?.id ?? '')
    await opened.rotate()
  })
})

test('an earlier secret is forgotten only when everything is sealed with the newest', async () => {
  using scene = openScene()
  const opened = await scene.open()
  const [old] = opened.keyring.generations
  const sealed = opened.keyring.sealerFor('a').seal(Buffer.from('x'))
  const { id } = await opened.rotate()
  await assert.rejects(opened.forget(old.id), isConflict(/Not all private keys/))
  await opened.markResealed(old.id)
  await assert.rejects(opened.forget(old.id), isConflict(/Not all private keys/))
  await opened.markResealed(id)
  await assert.rejects(opened.forget(id), isConflict(/is the newest secret/))
  await assert.rejects(opened.forget('0'.repeat(16)), { code: 'not_found' })
  await opened.forget(old.id)
  assert.equal(opened.keyring.sealerFor('a').open(sealed), undefined)
  assert.equal((await scene.open()).keyring.generations.length, 1)
})

test('an earlier secret that is damaged in the store is left out with a warning', async () => {
  using scene = openScene()
  await (await scene.open()).rotate()
  const [newest, older] = scene.stored
  assert(newest && older?.sealedSecret)
  scene.stored = [newest, { ...older, sealedSecret: older.sealedSecret.slice(1) }]
  const opened = await scene.open()
  assert.equal(opened.keyring.generations.length, 1)
  assert.match(opened.warnings.join(), new RegExp(`earlier secret ${older.id} cannot be decrypted`))
})

test('a copy of the data gets master.key, for the owner only', async () => {
  using scene = openScene()
  using copy = openTemporaryFolder()
  const { id, file: path = '' } = await (await scene.open()).copyTo(copy.path)
  assert.equal(id, secretId(readFileSync(path)))
  assert.deepEqual(readFileSync(path), readFileSync(scene.masterKey))
  assert.equal(statSync(path).mode & 0o777, 0o600)
})
