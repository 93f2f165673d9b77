import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import { openTemporaryFolder } from '../test/harness/temporary-folder.ts'
import { DKIM_PURPOSE, openSecrets } from './open-secrets.ts'
import { createMemoryState } from './storage/memory/memory-state.ts'
import { openMemoryStorage } from './storage/memory/open-memory-storage.ts'

const clock = () => 1_800_000_000_000

/** Servers of one installation, each with a folder of its own. */
function openInstallation() {
  const folder = openTemporaryFolder()
  const state = createMemoryState()
  return {
    folder: folder.path,
    state,
    open(...secret: Buffer[]) {
      const storage = openMemoryStorage({ clock, serviceMessageIdField: 'service_message_id', state, isShared: true })
      const given = secret.length > 0 ? secret : undefined
      return openSecrets({ dataDir: folder.path, secret: given, secretFile: undefined }, storage, clock)
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}

type Servers = Awaited<ReturnType<ReturnType<typeof openInstallation>['open']>>

function assertAgree(a: Servers, b: Servers): void {
  for (const [one, other] of [
    [a, b],
    [b, a],
  ] as const) {
    const sealed = one.dataSecret.keyring.sealerFor(DKIM_PURPOSE).seal(Buffer.from('key'))
    assert.equal(other.dataSecret.keyring.sealerFor(DKIM_PURPOSE).open(sealed)?.toString(), 'key')
    const session = one.accessSecret.sealerFor('session').seal(Buffer.from('who'))
    assert.equal(other.accessSecret.sealerFor('session').open(session)?.toString(), 'who')
    assert.equal(one.accessSecret.id, other.accessSecret.id)
  }
}

test('servers that start at the same time agree on both secrets, and leave no file', async () => {
  using installation = openInstallation()
  const [a, b, c] = await Promise.all([installation.open(), installation.open(), installation.open()])
  assertAgree(a, b)
  assertAgree(b, c)
  assertAgree(a, await installation.open())
  assert.equal(a.dataSecret.place, 'store')
  assert.deepEqual(readdirSync(installation.folder), [])
})

test("with the operator's secret, nothing in the database opens what it sealed, and another secret or none is refused", async () => {
  using installation = openInstallation()
  const secret = randomBytes(32)
  const a = await installation.open(secret)
  assertAgree(a, await installation.open(secret))
  assert.equal(a.dataSecret.place, 'operator')
  const stored = Buffer.concat([...installation.state.settings.values()])
  assert.equal(stored.includes(secret), false)
  await assert.rejects(
    installation.open(randomBytes(32)),
    /does not belong to the data\. The data needs the secret with/,
  )
  await assert.rejects(installation.open(), /Set ENVELOG_SECRET_FILE or ENVELOG_SECRET as on the other servers\./)
})

test('two servers that start an installation with different secrets do not both win', async () => {
  using installation = openInstallation()
  const opened = await Promise.allSettled([installation.open(randomBytes(32)), installation.open(randomBytes(32))])
  assert.equal(opened.filter(({ status }) => status === 'fulfilled').length, 1)
})

test('a rotation reaches the other servers before it is used, and sessions stay valid', async (t) => {
  using installation = openInstallation()
  const [a, b] = await Promise.all([installation.open(), installation.open()])
  const session = a.accessSecret.sealerFor('session').seal(Buffer.from('who'))
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const rotating = a.dataSecret.rotate()
  while (installation.state.secretGenerations.length < 2) await new Promise(setImmediate)
  // Stored, but a does not use it yet: b has time to learn it.
  const sealed = a.dataSecret.keyring.sealerFor(DKIM_PURPOSE).seal(Buffer.from('key'))
  assert.equal(b.dataSecret.keyring.sealerFor(DKIM_PURPOSE).open(sealed)?.toString(), 'key')
  await b.refreshSecrets?.()
  assert.equal(b.dataSecret.keyring.generations.length, 2)
  await new Promise(setImmediate)
  t.mock.timers.tick(4000)
  await rotating
  assertAgree(a, b)
  await a.refreshSecrets?.()
  await b.refreshSecrets?.()
  assertAgree(a, b)
  assert.equal(b.accessSecret.sealerFor('session').open(session)?.toString(), 'who')
  // The access secret has moved to the new secret, so that the old one can be forgotten.
  const [newest, oldest = assert.fail()] = a.dataSecret.keyring.generations
  await a.dataSecret.markResealed(newest.id)
  await a.dataSecret.forget(oldest.id)
  const c = await installation.open()
  assertAgree(a, c)
  assert.equal(c.accessSecret.warning, undefined)
})

test('the end of all sessions reaches the other servers with their next refresh', async () => {
  using installation = openInstallation()
  const [a, b] = await Promise.all([installation.open(), installation.open()])
  const sealer = b.accessSecret.sealerFor('session')
  const session = sealer.seal(Buffer.from('who'))
  await a.accessSecret.rotate()
  await b.refreshSecrets?.()
  assert.equal(sealer.open(session), undefined)
  assertAgree(a, b)
  // Both at the same time: one of the new secrets holds.
  await Promise.all([a.accessSecret.rotate(), b.accessSecret.rotate()])
  await Promise.all([a.refreshSecrets?.(), b.refreshSecrets?.()])
  assertAgree(a, b)
})
