import assert from 'node:assert/strict'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { LightMyRequestResponse } from 'fastify'
import { type AppFixture, openAppFixture } from '../../../../../test/harness/app/app-fixture.ts'
import { openTemporaryFolder } from '../../../../../test/harness/temporary-folder.ts'
import { AppError } from '../../../../lib/app-error.ts'
import type { Storage } from '../../../../storage/storage.ts'
import { LOCAL_TOKEN_HEADER } from '../../../access/local-caller.ts'
import type { BackupResult, RecountResult } from './maintenance.wire.ts'

const localToken = 'of this process'
const local = { headers: { [LOCAL_TOKEN_HEADER]: localToken } }

const backUp = (fixture: AppFixture, folder: unknown, options = local) =>
  fixture.post('/v1/admin/backup', null, { ...options, payload: JSON.stringify({ folder }) })

/** For storage that only pretends to copy: nothing is written, not even the secret. */
const pretend = (fixture: AppFixture) =>
  fixture.post('/v1/admin/backup', null, {
    ...local,
    payload: JSON.stringify({ folder: '/copy', withoutSecret: true }),
  })

function linesOf({ body }: LightMyRequestResponse): readonly Record<string, unknown>[] {
  return body
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

const progressOf = (file: string) => ({ file, isDone: true, bytes: 1, bytesTotal: 2 })
const REPORT = { folder: '/copy', files: ['one', 'two'], bytes: 2, copiedBytes: 2, problems: [], removed: [] }

/** Storage whose backup copies two files and waits for `gate` in between. */
function slowBackup(gate: Promise<void>, onEnd: () => void = () => undefined) {
  return (storage: Storage): Storage => ({
    ...storage,
    capabilities: {
      backup: {
        last: undefined,
        async run({ onProgress }) {
          onProgress?.(progressOf('one'))
          await gate
          onProgress?.(progressOf('two'))
          onEnd()
          return REPORT
        },
      },
    },
  })
}

test('a backup reports each file as it is copied, and all of them at the end', async () => {
  await using fixture = await openAppFixture({ localToken })
  await fixture.ingest([fixture.event()])
  using parent = openTemporaryFolder()
  const answer = await backUp(fixture, join(parent.path, 'backups'))
  assert.equal(answer.statusCode, 200)
  assert.match(String(answer.headers['content-type']), /^application\/x-ndjson/)
  const lines = linesOf(answer)
  const { folder, files, secret } = lines.at(-1) as unknown as BackupResult
  assert.deepEqual(
    lines.flatMap(({ file = [] }) => file),
    files.toSorted((a, b) => lines.findIndex(({ file }) => file === a) - lines.findIndex(({ file }) => file === b)),
  )
  assert.match(folder, /\/backups\/\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ$/)
  assert.equal(secret?.isIncluded, true)
  const copied = readdirSync(folder, { recursive: true }).map((file) => join(folder, String(file)))
  for (const name of ['control.db', 'master.key']) assert(files.includes(join(folder, name)), name)
  for (const file of files) assert(copied.includes(file), file)
})

test('only a caller on this machine may back up; an operator elsewhere gets 403', async () => {
  await using fixture = await openAppFixture({ localToken })
  using folder = openTemporaryFolder()
  for (const headers of [{}, { [LOCAL_TOKEN_HEADER]: 'guessed' }]) {
    assert.equal((await backUp(fixture, folder.path, { headers } as typeof local)).statusCode, 401)
  }
  const headers = { ...local.headers, authorization: fixture.operatorKey }
  const remote = await backUp(fixture, folder.path, { headers })
  assert.equal(remote.statusCode, 403)
  assert.match(remote.json<{ message: string }>().message, /on the server's machine/)
  assert.deepEqual(readdirSync(folder.path), [])
})

test('an unusable folder is refused with a status before anything is written', async () => {
  await using fixture = await openAppFixture({ localToken })
  using parent = openTemporaryFolder()
  const file = join(parent.path, 'file')
  writeFileSync(file, '')
  for (const folder of [file, fixture.dataDir, join(fixture.dataDir, 'inside')]) {
    assert.equal((await backUp(fixture, folder)).statusCode, 409, folder)
  }
  assert.equal((await backUp(fixture, join(file, 'below'))).statusCode, 503)
  for (const folder of ['relative', '', 5]) assert.equal((await backUp(fixture, folder)).statusCode, 400)
})

test('two concurrent backups are refused, consecutive ones are not', async () => {
  const gate = Promise.withResolvers<void>()
  await using fixture = await openAppFixture({ localToken, wrapStorage: slowBackup(gate.promise) })
  const first = pretend(fixture)
  // Its response has begun, so it is running; the rest of it waits for the gate.
  const second = await pretend(fixture)
  assert.equal(second.statusCode, 409)
  assert.match(second.json<{ message: string }>().message, /already running/)
  gate.resolve()
  assert.deepEqual(linesOf(await first).at(-1), REPORT)
  assert.equal((await pretend(fixture)).statusCode, 200)
})

test('a backup continues to its end if its caller disconnects', async () => {
  const gate = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  await using fixture = await openAppFixture({ localToken, wrapStorage: slowBackup(gate.promise, ended.resolve) })
  const payload = JSON.stringify({ folder: '/copy', withoutSecret: true })
  const answer = await fixture.app.inject({
    method: 'POST',
    url: '/v1/admin/backup',
    ...local,
    payload,
    payloadAsStream: true,
  })
  const stream = answer.stream()
  for await (const chunk of stream) {
    assert.equal(String(chunk), '{"file":"one","bytes":1,"bytesTotal":2}\n')
    break
  }
  answer.raw.res.destroy()
  gate.resolve()
  await ended.promise
})

test('a backup that fails half-way says so in its last line; for a bug, the line only refers to the log', async () => {
  const failures = [
    { error: new AppError('storage_unavailable', 'two cannot be copied'), line: /"error":503.*two cannot be copied/ },
    { error: new Error('secret detail'), line: /"error":500.*log for request id/ },
  ]
  for (const { error, line } of failures) {
    const wrapStorage = (storage: Storage): Storage => ({
      ...storage,
      capabilities: {
        backup: {
          last: undefined,
          async run({ onProgress }) {
            onProgress?.(progressOf('one'))
            throw error
          },
        },
      },
    })
    await using fixture = await openAppFixture({ localToken, wrapStorage })
    const answer = await pretend(fixture)
    assert.equal(answer.statusCode, 200)
    assert.deepEqual(linesOf(answer)[0], { file: 'one', bytes: 1, bytesTotal: 2 })
    assert.match(answer.body.trimEnd().split('\n').at(-1) ?? '', line)
    assert(!answer.body.includes('secret detail'))
    assert.equal(fixture.logText.includes('secret detail'), error.message === 'secret detail')
  }
})

test('a recount reports the differences, also to an operator elsewhere', async () => {
  await using fixture = await openAppFixture()
  await fixture.ingest([fixture.event()])
  const answer = await fixture.post('/v1/admin/recount', fixture.operatorKey)
  assert.equal(answer.statusCode, 200)
  assert.deepEqual(linesOf(answer).at(-1), { ok: true, differences: [] } satisfies RecountResult)
})

test('a recount that finds differences, one that is already running, and one that fails', async () => {
  const gate = Promise.withResolvers<void>()
  let failure: Error | undefined
  const wrapStorage = (storage: Storage): Storage => ({
    ...storage,
    capabilities: {
      recount: {
        async run() {
          await gate.promise
          if (failure) throw failure
          return ['2026-01-15: Delivery']
        },
      },
    },
  })
  await using fixture = await openAppFixture({ wrapStorage })
  const recount = () => fixture.post('/v1/admin/recount', fixture.operatorKey)
  const first = recount()
  const second = recount()
  assert.equal((await Promise.race([first, second])).statusCode, 409)
  gate.resolve()
  const answers = (await Promise.all([first, second])).filter(({ statusCode }) => statusCode === 200)
  assert.deepEqual(answers.map(linesOf), [[{ ok: false, differences: ['2026-01-15: Delivery'] }]])
  failure = new AppError('storage_unavailable', 'the disk is gone')
  assert.equal((await recount()).statusCode, 503)
})

test('counters are corrected only on request, and only by engines that can have wrong ones', async () => {
  const wrapStorage = (storage: Storage): Storage => ({
    ...storage,
    capabilities: { recount: { run: async () => ['found'], repair: async () => ['corrected'] } },
  })
  await using fixture = await openAppFixture({ wrapStorage })
  const recount = async (query: string) => linesOf(await fixture.post(`/v1/admin/recount${query}`, fixture.operatorKey))
  assert.deepEqual(await recount(''), [{ ok: false, differences: ['found'] }])
  assert.deepEqual(await recount('?repair=false'), [{ ok: false, differences: ['found'] }])
  assert.deepEqual(await recount('?repair=true'), [{ ok: false, differences: ['corrected'] }])
  await using embedded = await openAppFixture()
  assert.equal((await embedded.post('/v1/admin/recount?repair=true', embedded.operatorKey)).statusCode, 409)
})

test('storage without backups and counters of its own says so', async () => {
  const wrapStorage = (storage: Storage): Storage => ({ ...storage, capabilities: {} })
  await using fixture = await openAppFixture({ localToken, wrapStorage })
  const refused = await pretend(fixture)
  assert.equal(refused.statusCode, 409)
  assert.match(refused.json<{ message: string }>().message, /no backup of its own/)
  assert.equal((await fixture.post('/v1/admin/recount', fixture.operatorKey)).statusCode, 409)
})
