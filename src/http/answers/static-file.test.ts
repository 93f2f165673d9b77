import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { after, before, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { type AppFixture, openAppFixture } from '../../../test/harness/app/app-fixture.ts'
import { type ContentCoding, chooseCoding } from './static-file.ts'

const LARGE = '/docs/reference/v1'

let fixture: AppFixture
before(async () => {
  fixture = await openAppFixture()
  await fixture.app.listen({ port: 0, host: '127.0.0.1' })
})
after(() => fixture[Symbol.asyncDispose]())

const get = (path: string, encoding?: string) =>
  fixture.get(path, null, encoding === undefined ? {} : { headers: { 'accept-encoding': encoding } })

test('a file has the same content in every encoding, and its length is announced', async () => {
  for (const path of [LARGE, '/openapi/v1.json']) {
    const plain = await get(path)
    assert.equal(plain.headers['content-encoding'], undefined)
    for (const [encoding, expand] of [
      ['br', brotliDecompressSync],
      ['gzip', gunzipSync],
    ] as const) {
      const packed = await get(path, encoding)
      assert.equal(packed.headers['content-encoding'], encoding)
      assert.equal(packed.headers['vary'], 'Accept-Encoding')
      assert.equal(Number(packed.headers['content-length']), packed.rawPayload.length)
      assert(packed.rawPayload.length < plain.rawPayload.length / 2)
      assert(expand(packed.rawPayload).equals(plain.rawPayload))
    }
  }
})

test('a client that has the content already gets 304 without a body, whatever coding it has', async () => {
  const { headers } = await get(LARGE, 'br')
  const etag = String(headers['etag'])
  assert.match(etag, /^W\/"[\w-]{22}"$/)
  for (const known of [etag, `"other", ${etag}`, etag.replace('W/', ''), '*']) {
    const answer = await fixture.get(LARGE, null, { headers: { 'if-none-match': known } })
    assert.deepEqual([answer.statusCode, answer.body], [304, ''], known)
    assert.equal(answer.headers['etag'], etag)
    const head = await fixture.app.inject({ method: 'HEAD', url: LARGE, headers: { 'if-none-match': known } })
    assert.deepEqual([head.statusCode, head.headers['content-length']], [304, undefined], known)
  }
  for (const other of ['"other"', '', `${'"x",'.repeat(1000)}${etag}`]) {
    const answer = await fixture.get(LARGE, null, { headers: { 'if-none-match': other } })
    assert.equal(answer.statusCode, 200, other.slice(0, 20))
  }
})

test('HEAD has the headers of GET and no body', async () => {
  const [got, head] = [await get(LARGE), await fixture.app.inject({ method: 'HEAD', url: LARGE })]
  assert.equal(head.headers['content-length'], got.headers['content-length'])
  assert.equal(head.rawPayload.length, 0)
})

test('readers that do not read hold no copy of a file', async () => {
  const { rawPayload } = await get(LARGE)
  const before = process.memoryUsage().arrayBuffers
  const { port } = fixture.app.server.address() as AddressInfo
  const readers = []
  for (let count = 0; count < 20; count++) {
    const reader = connect({ port, host: '127.0.0.1' })
    reader.write(`GET ${LARGE} HTTP/1.1\r\nHost: x\r\n\r\n`)
    await once(reader, 'readable')
    readers.push(reader)
  }
  const grown = process.memoryUsage().arrayBuffers - before
  for (const reader of readers) reader.destroy()
  assert(grown < 4 * rawPayload.length, `${grown} bytes for ${readers.length} readers`)
})

test('an Accept-Encoding of absurd length is not examined beyond its beginning', async () => {
  const padding = 'x,'.repeat(1000)
  assert.equal((await get(LARGE, `gzip,${padding}`)).headers['content-encoding'], 'gzip')
  assert.equal((await get(LARGE, `${padding}gzip`)).headers['content-encoding'], undefined)
})

test('the best coding that the file has and the client accepts is chosen; a weight of zero refuses one', () => {
  const chosen = (accepted: string | undefined, ...codings: readonly ContentCoding[]) =>
    chooseCoding({ encoded: new Map(codings.map((coding) => [coding, Buffer.alloc(0)])) }, accepted)
  assert.equal(chosen('gzip, br', 'gzip', 'br'), 'br')
  assert.equal(chosen('gzip, zstd', 'gzip', 'zstd', 'br'), 'zstd')
  assert.equal(chosen('GZIP', 'gzip'), 'gzip')
  assert.equal(chosen('br', 'gzip'), undefined)
  assert.equal(chosen(undefined, 'gzip'), undefined)
  assert.equal(chosen('*', 'gzip'), 'gzip')
  assert.equal(chosen('*, gzip;q=0', 'gzip'), undefined)
  assert.equal(chosen('gzip, *;q=0', 'gzip', 'br'), 'gzip')
  assert.equal(chosen('br; q=0, gzip ;q=0.5', 'gzip', 'br'), 'gzip')
  assert.equal(chosen('br;level=1;q=0', 'br'), undefined)
  assert.equal(chosen(`${'x'.repeat(253)},br`, 'br'), 'br')
  assert.equal(chosen(`${'x'.repeat(254)},br`, 'br'), undefined)
})
