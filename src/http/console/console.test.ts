import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openAppFixture } from '../../../test/harness/app/app-fixture.ts'
import { chooseCoding } from '../answers/static-file.ts'
import type { ConsoleFile, ConsoleFiles } from './console-files.ts'

const page: ConsoleFile = {
  contentType: 'text/html; charset=utf-8',
  identity: Buffer.from('<!doctype html><title>Envelog</title>'),
  encoded: new Map([
    ['br', Buffer.from('as brotli')],
    ['gzip', Buffer.from('as gzip')],
  ]),
  isImmutable: false,
}
const script: ConsoleFile = { ...page, contentType: 'text/javascript; charset=utf-8', isImmutable: true }
const files: ConsoleFiles = new Map([
  ['index.html', page],
  ['assets/index-12345678.js', script],
  ['assets/icon.svg', { ...page, contentType: 'image/svg+xml', encoded: new Map() }],
])

test('every address of the console returns its page, which is not cached', async () => {
  await using fixture = await openAppFixture({ console: files })
  for (const url of [
    '/',
    '/overview',
    '/log?q=x&type=Bounce',
    '/domains',
    '/domains/a.test',
    '/operator',
    '/operator/keys',
  ]) {
    const { statusCode, headers, body } = await fixture.get(url, null)
    assert.deepEqual([statusCode, body], [200, page.identity.toString()], url)
    assert.equal(headers['cache-control'], 'no-cache')
    assert.match(String(headers['content-type']), /^text\/html/)
  }
})

test('the page may load scripts and styles of this server only, none inline, and cannot be framed', async () => {
  await using fixture = await openAppFixture({ console: files })
  const policy = String((await fixture.get('/', null)).headers['content-security-policy'])
  for (const part of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'"]) {
    assert(policy.split('; ').includes(part), part)
  }
  assert.doesNotMatch(policy, /unsafe|data:|https?:|\*/)
})

test('files whose name changes with their content are cached forever, others briefly', async () => {
  await using fixture = await openAppFixture({ console: files })
  const hashed = await fixture.get('/assets/index-12345678.js', null)
  assert.deepEqual([hashed.statusCode, hashed.headers['cache-control']], [200, 'public, max-age=31536000, immutable'])
  const named = await fixture.get('/assets/icon.svg', null)
  assert.deepEqual([named.statusCode, named.headers['cache-control']], [200, 'public, max-age=300'])
})

test('the response uses the best coding that the client accepts and the build made', async () => {
  await using fixture = await openAppFixture({ console: files })
  for (const [accepted, coding] of [
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, deflate', 'gzip'],
    ['zstd', undefined],
    ['br;q=0, *', 'gzip'],
    ['identity', undefined],
  ] as const) {
    const answer = await fixture.get('/', null, { headers: { 'accept-encoding': accepted } })
    assert.equal(answer.headers['content-encoding'], coding, accepted)
    assert.equal(answer.headers['vary'], 'Accept-Encoding')
    assert.equal(chooseCoding(page, accepted), coding)
  }
})

test('any path that is not a file or an address of the console returns the usual error', async () => {
  await using fixture = await openAppFixture({ console: files })
  for (const url of [
    '/assets/nothing.js',
    '/assets/',
    '/assets/..%2findex.html',
    '/logs.html',
    '/operator/a/b',
    '/index.html',
  ]) {
    const answer = await fixture.get(url, null)
    assert.equal(answer.statusCode, 404, url)
    assert.deepEqual(Object.keys(answer.json<object>()), ['error', 'message'])
  }
})

test('a server without a built console says how to build it and serves the rest', async () => {
  await using fixture = await openAppFixture()
  const { statusCode, body } = await fixture.get('/', null)
  assert.equal(statusCode, 200)
  assert.match(body, /npm run build/)
  assert.equal((await fixture.get('/webhooks/acme.test')).statusCode, 200)
})
