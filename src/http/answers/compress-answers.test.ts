import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import fastify from 'fastify'
import { type AppFixture, openAppFixture } from '../../../test/harness/app/app-fixture.ts'
import { compressAnswers } from './compress-answers.ts'

let fixture: AppFixture
before(async () => {
  fixture = await openAppFixture()
  const events = Array.from({ length: 300 }, (_, index) => fixture.event({ recipient: `person${index}@example.org` }))
  await fixture.ingest(events)
})
after(() => fixture[Symbol.asyncDispose]())

const PAGE = '/v1/events?limit=300'
const ask = (url: string, headers: Record<string, string> = {}, key?: string) => fixture.get(url, key, { headers })

test('a page of events is compressed as the client asks, says so, and is the same page', async () => {
  const plain = await ask(PAGE)
  assert.equal(plain.headers['content-encoding'], undefined)
  assert.equal(plain.headers['vary'], 'Accept-Encoding')
  for (const [accepted, coding, expand] of [
    ['gzip, deflate, br, zstd', 'zstd', zstdDecompressSync],
    ['gzip, deflate', 'gzip', gunzipSync],
    ['zstd;q=0, *', 'gzip', gunzipSync],
  ] as const) {
    const answer = await ask(PAGE, { 'accept-encoding': accepted })
    assert.equal(answer.headers['content-encoding'], coding, accepted)
    assert.equal(Number(answer.headers['content-length']), answer.rawPayload.length)
    assert(answer.rawPayload.length * 5 < plain.rawPayload.length, `${answer.rawPayload.length} bytes`)
    // The positions in the cursors are sealed anew for each page.
    const { events } = JSON.parse(expand(answer.rawPayload).toString()) as { events: unknown }
    assert.deepEqual(events, plain.json<{ events: unknown }>().events)
  }
  for (const accepted of ['', 'identity', 'br', 'gzip;q=0'])
    assert.equal((await ask(PAGE, { 'accept-encoding': accepted })).headers['content-encoding'], undefined, accepted)
})

const COUNTS = '/v1/stats/series?group=type&from=2026-01-01'
const GZIP = { 'accept-encoding': 'gzip' }

test('short responses, files, secrets and responses to another site are not compressed', async () => {
  assert.equal((await ask('/v1/events?limit=1', GZIP)).headers['content-encoding'], undefined, 'short')
  assert.equal((await ask('/v1/events?format=csv', GZIP)).headers['content-encoding'], undefined, 'a file')
  assert.equal((await ask('/v1/session', GZIP)).headers['content-encoding'], undefined, 'the CSRF token')
  const foreign = await ask(PAGE, { ...GZIP, 'sec-fetch-site': 'same-site' })
  assert.equal(foreign.headers['content-encoding'], undefined, 'another site')
  const [domain] = fixture.acme.domains
  const [key] = domain.dkimKeys
  const url = `/v1/admin/domains/${domain.name}/keys/${key?.selector}/private-key`
  const secret = await ask(url, GZIP, fixture.operatorKey)
  assert.equal(secret.statusCode, 200)
  assert(secret.body.length > 1024, 'long enough otherwise')
  assert.equal(secret.headers['content-encoding'], undefined, 'a private key')
})

test('HEAD has the headers of GET', async () => {
  const url = COUNTS
  const headers = { ...GZIP, authorization: fixture.acme.key }
  const get = await fixture.app.inject({ method: 'GET', url, headers })
  const head = await fixture.app.inject({ method: 'HEAD', url, headers })
  assert.equal(get.headers['content-encoding'], 'gzip')
  for (const name of ['content-encoding', 'content-length', 'vary', 'content-type'] as const)
    assert.equal(head.headers[name], get.headers[name], name)
  assert.equal(head.body, '')
})

test('while many responses are compressed, further ones are sent as they are', async () => {
  const answers = await Promise.all(Array.from({ length: 40 }, () => ask('/v1/stats/figures', GZIP)))
  const codings = answers.map(({ headers }) => headers['content-encoding'])
  assert.deepEqual(new Set(codings), new Set(['gzip', undefined]))
  for (const { rawPayload, headers } of answers) {
    const text = headers['content-encoding'] === 'gzip' ? gunzipSync(rawPayload) : rawPayload
    assert('figures' in (JSON.parse(text.toString()) as object))
  }
  assert.equal((await ask('/v1/stats/figures', GZIP)).headers['content-encoding'], 'gzip', 'afterwards again')
})

test('a response above 16 MiB is sent as it is', async () => {
  const app = fastify()
  compressAnswers(app)
  app.get<{ Params: { length: string } }>('/:length', async ({ params }, reply) =>
    reply.type('application/json').send('x'.repeat(Number(params.length))),
  )
  for (const [length, coding] of [
    [1023, undefined],
    [1024, 'gzip'],
    [16 * 1024 * 1024 + 1, undefined],
  ] as const) {
    const { headers } = await app.inject({ url: `/${length}`, headers: GZIP })
    assert.equal(headers['content-encoding'], coding, String(length))
  }
})
