import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import type { LightMyRequestResponse } from 'fastify'
import { type AppFixture, openAppFixture } from '../../../test/harness/app/app-fixture.ts'
import { withChangedLog } from '../../../test/harness/storage/changed-log.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Storage } from '../../storage/storage.ts'

let fixture: AppFixture
before(async () => {
  fixture = await openAppFixture()
})
after(() => fixture[Symbol.asyncDispose]())

function send(payload: string | Buffer, headers: Record<string, string> = {}): Promise<LightMyRequestResponse> {
  return fixture.post('/ingest/events', fixture.operatorKey, { payload, headers })
}

interface Rejected {
  readonly index: number
  readonly error: string
}

describe('200', () => {
  const three = () => [fixture.event(), fixture.event(), fixture.event()]
  const lines = (events: readonly unknown[]) => events.map((event) => JSON.stringify(event)).join('\n')
  const stored = (count: number) => ({ stored: count, duplicates: 0, rejected: [] })

  test('an object, an array or NDJSON is accepted, whatever the Content-Type', async () => {
    for (const type of [
      'application/json',
      'application/x-ndjson',
      'text/plain',
      'application/x-www-form-urlencoded',
      'rubbish',
    ]) {
      const headers = { 'content-type': type }
      assert.deepEqual((await send(JSON.stringify(fixture.event()), headers)).json(), stored(1), type)
      assert.deepEqual((await send(JSON.stringify(three()), headers)).json(), stored(3))
      assert.deepEqual((await send(lines(three()), headers)).json(), stored(3))
    }
    assert.deepEqual((await send(lines(three()))).json(), stored(3))
  })

  test('gzip and zstd are accepted, also with several members or frames', async () => {
    for (const [encoding, compress] of [
      ['gzip', gzipSync],
      ['zstd', zstdCompressSync],
    ] as const) {
      const headers = { 'content-encoding': encoding }
      assert.deepEqual((await send(compress(lines(three())), headers)).json(), stored(3))
      const parts = three().map((event) => compress(`${JSON.stringify(event)}\n`))
      assert.deepEqual((await send(Buffer.concat(parts), headers)).json(), stored(3))
    }
  })

  test('an event that is already stored is counted as a duplicate', async () => {
    const event = fixture.event()
    const answer = await send(JSON.stringify([event, event]))
    assert.deepEqual(answer.json(), { stored: 1, duplicates: 1, rejected: [] })
    assert.equal(answer.headers['content-length'], String(answer.rawPayload.length), 'in one piece')
    assert.deepEqual((await send(JSON.stringify(event))).json(), { stored: 0, duplicates: 1, rejected: [] })
  })

  test('a record that cannot be stored is reported by its index, and the others are stored', async () => {
    const answer = await send(
      lines([fixture.event({ domain_name: 'nowhere.test' }), fixture.event(), { id: 'x' }, fixture.event()]),
    )
    assert.equal(answer.statusCode, 200)
    const result = answer.json<{ stored: number; rejected: { index: number; error: string }[] }>()
    assert.equal(result.stored, 2)
    assert.deepEqual(
      result.rejected.map(({ index }) => index),
      [0, 2],
    )
    assert.match(result.rejected[0]?.error ?? '', /nowhere\.test/)
    assert.equal(await fixture.storage.control.quarantine.count(), 2)
  })

  test('a long list of rejected records is complete and in order', async () => {
    const records = Array.from({ length: 5000 }, (_, index) => ({ id: `"${index}` }))
    const answer = await send(JSON.stringify([fixture.event(), ...records]))
    assert.match(String(answer.headers['content-type']), /^application\/json/)
    const { stored, duplicates, rejected } = answer.json<{ stored: number; duplicates: number; rejected: Rejected[] }>()
    assert.deepEqual([stored, duplicates], [1, 0])
    assert.deepEqual(
      rejected.map(({ index }) => index),
      records.map((_, index) => index + 1),
    )
    assert.ok(rejected.every((record) => record.error !== '' && Object.keys(record).length === 2))
    assert.ok(answer.body.length > 300_000)
  })

  test('records that are neither stored nor rejected are counted, in a long response too', async () => {
    await using own = await openAppFixture()
    const skipped = { sender_domains: ['elsewhere.test'], if_unknown: 'skip', event: {} }
    const post = (records: readonly unknown[]) =>
      own.post('/ingest/maillog', own.operatorKey, { payload: JSON.stringify(records) })
    assert.deepEqual((await post([skipped, skipped])).json(), { stored: 0, duplicates: 0, rejected: [], skipped: 2 })
    const long = (await post([skipped, ...Array.from({ length: 600 }, () => ({}))])).json<{ rejected: Rejected[] }>()
    assert.deepEqual([Object.keys(long), long.rejected.length], [['stored', 'duplicates', 'rejected', 'skipped'], 600])
    const { body } = await own.get('/metrics', null)
    assert.match(body, /^envelog_ingest_records_total\{connector="maillog",outcome="skipped"\} 3$/m)
  })

  test('ingested records are counted in the metrics', async () => {
    await using own = await openAppFixture()
    const [event, other] = [own.event(), own.event()]
    await own.post('/ingest/events', own.operatorKey, { payload: JSON.stringify([event, event, other, { id: 'x' }]) })
    const { body } = await own.get('/metrics', null)
    for (const [outcome, count] of Object.entries({ stored: 2, duplicate: 1, rejected: 1 })) {
      assert.match(
        body,
        new RegExp(`envelog_ingest_records_total\\{connector="native",outcome="${outcome}"\\} ${count}\\n`),
      )
    }
  })
})

describe('400', () => {
  for (const payload of ['', '   ', 'rubbish', '{"id":', '[{"id":1}', '[] []']) {
    test(`a body that is not JSON: ${JSON.stringify(payload)}`, async () => {
      const answer = await send(payload)
      assert.equal(answer.statusCode, 400)
      assert.deepEqual(Object.keys(answer.json()), ['error', 'message'])
    })
  }

  test('no body', async () => {
    assert.equal((await fixture.post('/ingest/events', fixture.operatorKey)).statusCode, 400)
  })

  test('a body that does not match its Content-Encoding', async () => {
    for (const encoding of ['gzip', 'zstd']) {
      const answer = await send(JSON.stringify(fixture.event()), { 'content-encoding': encoding })
      assert.deepEqual(answer.json(), { error: 400, message: `The body cannot be decoded as ${encoding}` })
    }
  })
})

test('404: an unknown connector, including the name of the native format', async () => {
  for (const connector of ['nothing', 'native', 'constructor', 'EVENTS', '%00']) {
    const answer = await fixture.post(`/ingest/${connector}`, fixture.operatorKey, { payload: '{}' })
    assert.equal(answer.statusCode, 404, connector)
    assert.match(answer.json<{ message: string }>().message, /^Unknown connector\. Known: events/)
  }
})

test('404: a mail server whose log is read by `tail`, with the command in the message', async () => {
  for (const connector of ['exim', 'postfix', 'powermta']) {
    const answer = await fixture.post(`/ingest/${connector}`, fixture.operatorKey, { payload: '{}' })
    assert.equal(answer.statusCode, 404, connector)
    const { message } = answer.json<{ message: string }>()
    assert.ok(message.includes(`bin/envelog tail ${connector}`), message)
    assert.ok(message.includes(`bin/envelog import --format ${connector}`), message)
  }
})

describe('413', () => {
  const MAX = 16 * 1024 * 1024
  test('a body above 16 MiB', async () => {
    const answer = await send(Buffer.alloc(MAX + 1, ' '))
    assert.deepEqual(answer.json(), { error: 413, message: 'The request body is larger than 16777216 bytes' })
  })

  test('a small body that expands to more than 16 MiB', async () => {
    for (const [encoding, compress] of [
      ['gzip', gzipSync],
      ['zstd', zstdCompressSync],
    ] as const) {
      const bomb = compress(Buffer.alloc(8 * MAX, ' '))
      assert(bomb.length < 200_000)
      const answer = await send(bomb, { 'content-encoding': encoding })
      assert.equal(answer.statusCode, 413)
      assert.deepEqual(Object.keys(answer.json()), ['error', 'message'])
    }
  })
})

test('415: an unsupported Content-Encoding', async () => {
  const answer = await send('{}', { 'content-encoding': 'br' })
  assert.deepEqual(answer.json(), { error: 415, message: 'The Content-Encoding must be gzip, zstd or identity' })
})

describe('503', () => {
  for (const code of ['storage_unavailable', 'overloaded'] as const) {
    test(`${code}: nothing is stored, and Retry-After is sent`, async () => {
      let isBroken = true
      const wrapStorage = (storage: Storage): Storage =>
        withChangedLog(storage, {
          append: (events) => (isBroken ? Promise.reject(new AppError(code, 'Later')) : storage.log.append(events)),
        })
      await using own = await openAppFixture({ wrapStorage })
      const events = [own.event()]
      const answer = await own.post('/ingest/events', own.operatorKey, { payload: JSON.stringify(events) })
      assert.deepEqual(answer.json(), { error: 503, message: 'Later' })
      assert.match(String(answer.headers['retry-after']), /^[1-9]\d*$/)
      isBroken = false
      await own.ingest(events)
    })
  }
})

test('429: no room for rejected records; the others are stored, and nothing is lost', async () => {
  let isFull = true
  const wrapStorage = (storage: Storage): Storage => {
    const { quarantine } = storage.control
    const add: typeof quarantine.add = async (...values) => !isFull && quarantine.add(...values)
    return { ...storage, control: { ...storage.control, quarantine: { ...quarantine, add } } }
  }
  await using own = await openAppFixture({ wrapStorage })
  const good = own.event()
  const payload = JSON.stringify([good, { id: 'x' }])
  const refused = await own.post('/ingest/events', own.operatorKey, { payload })
  assert.equal(refused.statusCode, 429)
  assert.equal(refused.headers['retry-after'], '300')
  assert.match(refused.json<{ message: string }>().message, /no room for rejected records .*All others are stored/)
  assert.match((await own.get(`/webhooks/acme.test?message_id=${good.id}`)).body, /"count":1/)
  // Requests without rejected records are not affected.
  await own.ingest([own.event()])
  isFull = false
  const repeated = await own.post('/ingest/events', own.operatorKey, { payload })
  assert.partialDeepStrictEqual(repeated.json(), { stored: 0, duplicates: 1, rejected: [{ index: 1 }] })
  const [kept] = await own.storage.control.quarantine.list({ afterId: 0, limit: 10 })
  assert.equal(kept?.source.kind, 'key')
})
