import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openAppFixture } from '../../../test/harness/app/app-fixture.ts'
import type { ConsoleFile, ConsoleFiles } from '../console/console-files.ts'

const file = (contentType: string, content: string): ConsoleFile => ({
  contentType,
  identity: Buffer.from(content),
  encoded: new Map(),
  isImmutable: true,
})
const HTML = 'text/html; charset=utf-8'
const files: ConsoleFiles = new Map([
  ['index.html', file(HTML, 'the console')],
  ['guide/pages/index.html', file(HTML, 'first page')],
  ['guide/pages/decisions/0001-one.html', file(HTML, 'a decision')],
  ['guide/assets/main-12345678.js', file('text/javascript; charset=utf-8', 'script')],
  ['guide/images/log.png', file('image/png', 'picture')],
  ['guide/search.json', file('application/json; charset=utf-8', '[]')],
  ['guide/site.json', file('application/json; charset=utf-8', '{"groups":[],"examples":{}}')],
])

test('pages are served under the names of their documents, with the policy of the console, and asked for anew', async () => {
  await using fixture = await openAppFixture({ console: files })
  for (const [url, content] of [
    ['/docs/guide', 'first page'],
    ['/docs/guide/', 'first page'],
    ['/docs/guide/decisions/0001-one', 'a decision'],
  ] as const) {
    const { statusCode, headers, body } = await fixture.get(url, null)
    assert.deepEqual([statusCode, body], [200, content], url)
    assert.equal(headers['cache-control'], 'no-cache')
    assert.match(String(headers['etag']), /^W\/"/)
    assert.match(String(headers['content-security-policy']), /script-src 'self'; style-src 'self'/)
  }
})

test('files whose name has a hash are cached forever, images briefly, and the texts of the search with the pages', async () => {
  await using fixture = await openAppFixture({ console: files })
  for (const [url, caching] of [
    ['/docs/guide/assets/main-12345678.js', 'public, max-age=31536000, immutable'],
    ['/docs/guide/images/log.png', 'public, max-age=300'],
    ['/docs/guide/search.json', 'no-cache'],
  ] as const) {
    const { statusCode, headers } = await fixture.get(url, null)
    assert.deepEqual([statusCode, headers['cache-control']], [200, caching], url)
  }
})

test('nothing else of the build is served, and unknown pages get the usual error', async () => {
  await using fixture = await openAppFixture({ console: files })
  for (const url of [
    '/docs/guide/site.json',
    '/docs/guide/nothing',
    '/docs/guide/index.html',
    '/docs/guide/pages/index',
    '/docs/guide/../index',
    '/docs/guide/..%2f..%2findex',
    '/docs/guide/assets/nothing.js',
    '/docs/guide/assets/..%2fsearch.json',
  ]) {
    const answer = await fixture.get(url, null)
    assert.equal(answer.statusCode, 404, url)
    assert.deepEqual(Object.keys(answer.json<object>()), ['error', 'message'])
  }
})

test('a server without a build says how to make one', async () => {
  await using fixture = await openAppFixture()
  const { statusCode, body } = await fixture.get('/docs/guide', null)
  assert.equal(statusCode, 200)
  assert.match(body, /npm run build/)
})
