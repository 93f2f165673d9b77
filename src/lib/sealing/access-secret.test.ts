import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openTemporaryFolder } from '../../../test/harness/temporary-folder.ts'
import { ACCESS_KEY_FILE, AccessSecret } from './access-secret.ts'

test('it survives a restart; without its file it is another one', () => {
  using folder = openTemporaryFolder()
  const first = new AccessSecret(folder.path)
  assert.equal(new AccessSecret(folder.path).id, first.id)
  const sealed = first.sealerFor('a').seal(Buffer.from('x'))
  assert.equal(new AccessSecret(folder.path).sealerFor('a').open(sealed)?.toString(), 'x')
  assert.equal(statSync(join(folder.path, ACCESS_KEY_FILE)).mode & 0o777, 0o600)
  rmSync(join(folder.path, ACCESS_KEY_FILE))
  const renewed = new AccessSecret(folder.path)
  assert.notEqual(renewed.id, first.id)
  assert.equal(renewed.warning, undefined)
  assert.equal(renewed.sealerFor('a').open(sealed), undefined)
})

test('a rotation changes it at once for sealers that are kept, and for the next start', async () => {
  using folder = openTemporaryFolder()
  const secret = new AccessSecret(folder.path)
  const sealer = secret.sealerFor('a')
  const sealed = sealer.seal(Buffer.from('x'))
  const { id } = secret
  await secret.rotate()
  assert.notEqual(secret.id, id)
  assert.equal(sealer.open(sealed), undefined)
  const again = new AccessSecret(folder.path)
  assert.equal(again.id, secret.id)
  assert.equal(
    again
      .sealerFor('a')
      .open(sealer.seal(Buffer.from('y')))
      ?.toString(),
    'y',
  )
  assert.deepEqual(readdirSync(folder.path), [ACCESS_KEY_FILE])
})

test('a damaged file is replaced with a warning: only sessions are lost. A folder in its place is refused', () => {
  using folder = openTemporaryFolder()
  const path = join(folder.path, ACCESS_KEY_FILE)
  for (const length of [0, 31]) {
    writeFileSync(path, Buffer.alloc(length))
    assert.match(new AccessSecret(folder.path).warning ?? '', /access\.key was damaged and has been replaced/)
    assert.equal(new AccessSecret(folder.path).warning, undefined)
  }
  rmSync(path)
  mkdirSync(path)
  assert.throws(() => new AccessSecret(folder.path), /is not a file: move it away/)
})
