import assert from 'node:assert/strict'
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openTemporaryFolder } from '../test/harness/temporary-folder.ts'
import { Networks } from './lib/net/networks.ts'
import { listStartupWarnings } from './startup-warnings.ts'

/** A data folder as the server makes it, in a folder of its own. */
function openScene() {
  const folder = openTemporaryFolder()
  const dataDir = join(folder.path, 'data')
  mkdirSync(dataDir, { mode: 0o700 })
  const secretFile = join(folder.path, 'secret')
  writeFileSync(secretFile, '', { mode: 0o640 })
  for (const file of ['access.key', 'master.key']) writeFileSync(join(dataDir, file), '', { mode: 0o600 })
  const uid = process.geteuid?.() || undefined
  const list = (config: object = {}, facts: object = {}) =>
    listStartupWarnings(
      { dataDir, secretFile, trustedProxies: undefined, ...config },
      { uid, boundTo: '127.0.0.1', ...facts },
    )
  return { parent: folder.path, dataDir, secretFile, list, [Symbol.dispose]: () => folder[Symbol.dispose]() }
}

test('a server of its own user on a loopback address with a folder of its own warns of nothing', () => {
  using scene = openScene()
  for (const boundTo of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'])
    assert.deepEqual(scene.list({}, { boundTo }), [])
})

test('root is warned about', () => {
  using scene = openScene()
  assert.match(scene.list({}, { uid: 0 }).join('\n'), /^The server runs as root\./)
})

test('an address that others can reach is warned about, unless a proxy is configured', () => {
  using scene = openScene()
  for (const boundTo of ['0.0.0.0', '::', '192.0.2.1', '2001:db8::1']) {
    const warnings = scene.list({}, { boundTo })
    assert.equal(warnings.length, 1, boundTo)
    assert.match(warnings[0] ?? '', /without TLS, and ENVELOG_TRUSTED_PROXIES is not set/)
    assert.deepEqual(scene.list({ trustedProxies: new Networks(['10.0.0.1']) }, { boundTo }), [])
  }
})

test('a data folder or key file that others can read or write is warned about', () => {
  using scene = openScene()
  for (const [path, good, modes] of [
    [scene.dataDir, 0o700, [0o750, 0o701, 0o777]],
    [join(scene.dataDir, 'access.key'), 0o600, [0o640, 0o604, 0o620]],
    [join(scene.dataDir, 'master.key'), 0o600, [0o644]],
    [scene.secretFile, 0o640, [0o644, 0o660, 0o602]],
  ] as const) {
    for (const mode of modes) {
      chmodSync(path, mode)
      const warnings = scene.list()
      assert.equal(warnings.length, 1, `${path} ${mode.toString(8)}`)
      const verb = (mode & 0o022) === 0 ? 'read' : 'change'
      assert(warnings[0]?.startsWith(`Other users can ${verb} ${path} (mode ${mode.toString(8)})`), warnings[0])
      chmodSync(path, good)
      assert.deepEqual(scene.list(), [])
    }
  }
})

test('a secret that is meant to be elsewhere and is in the data folder is warned about', () => {
  using scene = openScene()
  const secretFile = join(scene.dataDir, 'secrets', 'mine')
  assert.match(scene.list({ secretFile }).join('\n'), /^.*mine is in the data folder: /)
})

test('a parent folder in which others can replace the data folder is warned about; one with the sticky bit is not', () => {
  using scene = openScene()
  chmodSync(scene.parent, 0o777)
  assert.match(
    scene.list().join('\n'),
    new RegExp(`^Other users can replace ${scene.dataDir}: ${scene.parent} is writable`),
  )
  chmodSync(scene.parent, 0o1777)
  assert.deepEqual(scene.list(), [])
})

test('a data folder of another user is warned about', () => {
  using scene = openScene()
  // Root gives it away; anybody else looks at it as another user.
  if (process.geteuid?.() === 0) chownSync(scene.dataDir, 12_345, 12_345)
  assert.match(scene.list({}, { uid: 54_321 }).join('\n'), /belongs to another user/)
})
