import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createTokens } from '../../../../../integrations/haraka/lib/tracking/token.mjs'
import { type AppFixture, FIXTURE_SECRET, openAppFixture } from '../../../../../test/harness/app/app-fixture.ts'
import { openTemporaryFolder } from '../../../../../test/harness/temporary-folder.ts'
import { createSealer } from '../../../../lib/sealing/sealer.ts'
import { requireCapability, type Storage } from '../../../../storage/storage.ts'
import { LOCAL_TOKEN_HEADER } from '../../../access/local-caller.ts'
import type { EventsPage } from '../../log/events.wire.ts'
import type { ReturnPath, TrackingSecret } from '../signing.wire.ts'
import type { BackupResult } from './maintenance.wire.ts'
import type { RotationResult, Secrets } from './secrets.wire.ts'

const localToken = 'of this process'

async function rotate(fixture: AppFixture): Promise<RotationResult> {
  const answer = await fixture.post('/v1/admin/secrets/rotate', fixture.operatorKey)
  assert.equal(answer.statusCode, 200, answer.body)
  return JSON.parse(answer.body.trim().split('\n').at(-1) ?? '') as RotationResult
}

const list = async (fixture: AppFixture) =>
  (await fixture.get('/v1/admin/secrets', fixture.operatorKey)).json<Secrets>()

const forget = (fixture: AppFixture, id: string) =>
  fixture.app.inject({
    method: 'DELETE',
    url: `/v1/admin/secrets/${id}`,
    headers: { authorization: fixture.operatorKey },
  })

/** What was made before a rotation and is used after it. */
async function makeAll(fixture: AppFixture) {
  const recipient = 'bob@example.org'
  const body = { domain: 'acme.test', messageId: 'm1', recipient }
  const payload = JSON.stringify(body)
  const reference = (await fixture.post('/v1/admin/return-paths', fixture.operatorKey, { payload })).json<ReturnPath>()
  const { secret } = (await fixture.get('/v1/admin/tracking-secret', fixture.operatorKey)).json<TrackingSecret>()
  const fields = { kind: 'open', time: 0, domain: 'acme.test', messageId: 'm', recipient } as const
  const pixel = createTokens(Buffer.from(secret, 'base64url')).sign(fields)
  const cursor = (await fixture.get('/v1/events?limit=1')).json<EventsPage>().next ?? ''
  return {
    secret,
    pixel,
    async works() {
      const verified = await fixture.post('/v1/admin/return-paths/verify', fixture.operatorKey, {
        payload: JSON.stringify({ text: reference.address, recipient }),
      })
      const hits = fixture.hits.length
      await fixture.get(`/t/o/${pixel}`, null)
      const page = await fixture.get(`/v1/events?limit=1&cursor=${cursor}`)
      return {
        reference: verified.statusCode === 200,
        pixel: fixture.hits.length > hits,
        cursor: page.statusCode === 200,
      }
    },
  }
}

const ALL = { reference: true, pixel: true, cursor: true }
const NONE = { reference: false, pixel: false, cursor: false }

test('a rotation keeps everything issued before valid, and changes the keys for mail servers', async () => {
  await using fixture = await openAppFixture()
  await fixture.ingest([fixture.event(), fixture.event()])
  const before = await makeAll(fixture)
  const [first] = (await list(fixture)).secrets
  assert(first?.isNewest)
  const { id, previousId } = await rotate(fixture)
  assert.equal(previousId, first.id)
  const after = await makeAll(fixture)
  assert.notEqual(after.secret, before.secret)
  for (const made of [before, after]) assert.deepEqual(await made.works(), ALL)
  const { secrets, keptBy } = await list(fixture)
  assert.equal(keptBy, 'folder')
  assert.deepEqual(
    secrets.map(({ id: one, isNewest, resealedAt }) => [one, isNewest, resealedAt !== null]),
    [
      [id, true, true],
      [previousId, false, true],
    ],
  )
  const masterKey = readFileSync(join(fixture.dataDir, 'master.key'))
  assert(!JSON.stringify(secrets).includes(masterKey.toString('hex').slice(0, 16)))
  assert.equal((await forget(fixture, previousId)).statusCode, 204)
  assert.deepEqual(await before.works(), NONE)
  assert.deepEqual(await after.works(), ALL)
})

test('private keys are encrypted with the new secret, and are exported as before', async () => {
  const next = randomBytes(32)
  const givenSecrets = [FIXTURE_SECRET]
  await using fixture = await openAppFixture({ givenSecrets })
  const path = '/v1/admin/domains/acme.test/keys/current/private-key'
  const exported = (await fixture.get(path, fixture.operatorKey)).json<{ privateKey: string }>()
  assert.match(exported.privateKey, /BEGIN PRIVATE KEY/)
  const refused = await fixture.post('/v1/admin/secrets/rotate', fixture.operatorKey)
  assert.equal(refused.statusCode, 409)
  assert.match(refused.json<{ message: string }>().message, /Put a new one, such as .* before the present one/)
  givenSecrets.unshift(next)
  assert.equal((await rotate(fixture)).resealed, 4)
  assert.deepEqual((await fixture.get(path, fixture.operatorKey)).json(), exported)
  const domain = await fixture.storage.control.domains.findByName('acme.test')
  const sealed = domain?.dkimKeys[0]?.sealedPrivateKey ?? new Uint8Array()
  const opens = (secret: Buffer) => createSealer(secret, 'dkim private key').open(sealed) !== undefined
  assert.deepEqual([opens(next), opens(FIXTURE_SECRET)], [true, false])
  assert.deepEqual(
    readdirSync(fixture.dataDir).filter((file) => file.startsWith('master')),
    [],
  )
})

test('the newest secret and an unknown one cannot be forgotten', async () => {
  await using fixture = await openAppFixture()
  const [newest] = (await list(fixture)).secrets
  assert.equal((await forget(fixture, newest?.id ?? '')).statusCode, 409)
  assert.equal((await forget(fixture, 'rubbish')).statusCode, 404)
})

test('a backup has the secret of the data folder, unless it is asked not to; never the access secret or an operator’s', async () => {
  const backUp = async (fixture: AppFixture, body: object) => {
    const target = openTemporaryFolder()
    const folder = join(target.path, 'copy')
    const options = { headers: { [LOCAL_TOKEN_HEADER]: localToken }, payload: JSON.stringify({ folder, ...body }) }
    const answer = await fixture.post('/v1/admin/backup', null, options)
    const result = JSON.parse(answer.body.trim().split('\n').at(-1) ?? '') as BackupResult
    const files = readdirSync(result.folder)
      .filter((file) => file !== 'events' && file !== 'backup.json')
      .toSorted()
    target[Symbol.dispose]()
    return { files, secret: result.secret }
  }
  await using inFolder = await openAppFixture({ localToken })
  const [newest] = (await list(inFolder)).secrets
  const whole = await backUp(inFolder, {})
  assert.deepEqual(whole, { files: ['control.db', 'master.key'], secret: { id: newest?.id, isIncluded: true } })
  const apart = await backUp(inFolder, { withoutSecret: true })
  assert.deepEqual(apart, { files: ['control.db'], secret: { id: newest?.id, isIncluded: false } })
  await using ofOperator = await openAppFixture({ localToken, givenSecrets: [FIXTURE_SECRET] })
  assert.deepEqual((await backUp(ofOperator, {})).files, ['control.db'])
})

test('no backup begins during a rotation and no rotation during a backup', async () => {
  const gate = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const wrapStorage = (storage: Storage): Storage => ({
    ...storage,
    capabilities: {
      backup: {
        last: undefined,
        async run(request) {
          begun.resolve()
          await gate.promise
          return requireCapability(storage, 'backup').run(request)
        },
      },
    },
  })
  await using fixture = await openAppFixture({ localToken, wrapStorage })
  using target = openTemporaryFolder()
  const payload = JSON.stringify({ folder: join(target.path, 'copy') })
  const backup = fixture.post('/v1/admin/backup', null, { headers: { [LOCAL_TOKEN_HEADER]: localToken }, payload })
  await begun.promise
  const refused = await fixture.post('/v1/admin/secrets/rotate', fixture.operatorKey)
  assert.equal(refused.statusCode, 409)
  assert.match(refused.json<{ message: string }>().message, /A backup is already running/)
  gate.resolve()
  assert.equal((await backup).statusCode, 200)
  await rotate(fixture)
})
