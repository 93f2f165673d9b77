import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type AppFixture, openAppFixture } from '../../../../test/harness/app/app-fixture.ts'
import { VIEW_QUERY_MAX, VIEWS_MAX } from '../../../tenants/saved-views.ts'
import type { View, Views } from './views.wire.ts'

let fixture: AppFixture
before(async () => {
  fixture = await openAppFixture()
})
after(() => fixture[Symbol.asyncDispose]())

async function call(method: 'GET' | 'PUT' | 'DELETE', path: string, key: string, body?: object) {
  const payload = body && { payload: JSON.stringify(body) }
  const headers = { authorization: key, ...(body && { 'content-type': 'application/json' }) }
  return fixture.app.inject({ method, url: path, headers, ...payload })
}

const pathOf = (name: string) => `/v1/views/${encodeURIComponent(name)}`
const save = (name: string, query: string, key: string) => call('PUT', pathOf(name), key, { query })
const namesOf = async (key: string) => (await call('GET', '/v1/views', key)).json<Views>().views.map(({ name }) => name)

test('a view is saved under a name, listed, replaced and deleted, for its key alone', async () => {
  const { key } = await fixture.createKey(fixture.acme.tenant)
  const name = 'Bounces / 24 h – Ärger?'
  const saved = await save(name, '?type=Bounce&q=a b&last=24h', key)
  assert.equal(saved.statusCode, 200, saved.body)
  const expected = { name, query: 'type=Bounce&q=a+b&last=24h', savedAt: new Date(fixture.nowMs).toISOString() }
  assert.deepEqual(saved.json<View>(), expected)
  assert.deepEqual((await call('GET', '/v1/views', key)).json<Views>(), { views: [expected] })
  assert.deepEqual((await save(name, '', key)).json<View>(), { ...expected, query: '' })
  for (const other of [fixture.acme.key, fixture.rival.key, fixture.operatorKey]) {
    assert.deepEqual(await namesOf(other), [])
    assert.equal((await call('DELETE', pathOf(name), other)).statusCode, 404)
  }
  const renamed = await call('PUT', pathOf('new'), key, { query: 'q=a', replaces: name })
  assert.equal(renamed.statusCode, 200, renamed.body)
  assert.deepEqual(await namesOf(key), ['new'])
  await call('PUT', pathOf(name), key, { query: 'q=a', replaces: 'new' })
  assert.deepEqual(await namesOf(key), [name])
  // The same letters, composed in another way.
  assert.equal((await call('DELETE', pathOf(name.normalize('NFD')), key)).statusCode, 204)
  assert.deepEqual(await namesOf(key), [])
})

test('the operator has views too; a key without the scope of the log has none', async () => {
  assert.equal((await save('mine', 'type=Bounce', fixture.operatorKey)).statusCode, 200)
  assert.deepEqual(await namesOf(fixture.operatorKey), ['mine'])
  const { key } = await fixture.createKey(fixture.acme.tenant, ['domains'])
  for (const answer of [await call('GET', '/v1/views', key), await save('mine', '', key)]) {
    assert.equal(answer.statusCode, 403)
    assert.match(answer.body, /the scope logs/)
  }
})

test('names and queries are checked, and a key has a bounded number of views', async () => {
  const { key } = await fixture.createKey(fixture.acme.tenant)
  const refused: readonly (readonly [name: string, query: string])[] = [
    [' ', ''],
    ['a\nb', ''],
    ['\u202Eevil', ''],
    ['x'.repeat(101), ''],
    ['long', `q=${'x'.repeat(VIEW_QUERY_MAX)}`],
    ['long when encoded', `q=${'ä'.repeat(VIEW_QUERY_MAX / 2)}`],
    ['script', 'javascript:alert(1)'],
    ['address', 'https://evil.test/?a=b'],
  ]
  for (const [name, query] of refused) assert.equal((await save(name, query, key)).statusCode, 400, name)
  assert.equal((await call('PUT', pathOf('x'), key, { query: 7 })).statusCode, 400)
  for (const name of ['.', '..']) {
    assert.equal((await call('PUT', pathOf('x'), key, { query: '', replaces: name })).statusCode, 400)
  }
  assert.equal((await call('DELETE', pathOf('a\0b'), key)).statusCode, 400)
  assert.equal((await call('PUT', pathOf('x'), key, {})).statusCode, 400)
  assert.equal((await call('PUT', pathOf('x'), key, { query: '', replaces: 'a\0' })).statusCode, 400)
  for (let index = 0; index < VIEWS_MAX; index++) {
    assert.equal((await save(`view ${index}`, 'type=Bounce', key)).statusCode, 200)
  }
  const long = 'ä'.repeat(100)
  assert.equal((await call('DELETE', pathOf('view 0'), key)).statusCode, 204)
  assert.equal((await save(long, 'type=Bounce', key)).json<View>().name, long)
  const full = await save('one more', '', key)
  assert.equal(full.statusCode, 409)
  assert.match(full.body, /at most 50 views/)
  assert.equal((await save('view 3', 'type=Delivery', key)).statusCode, 200)
})

test('views end with their key', async () => {
  const { id, key } = await fixture.createKey(fixture.acme.tenant)
  await save('mine', 'q=anna@example.org', key)
  const { keys, views } = fixture.storage.control
  assert.equal((await views.listViews(id)).length, 1)
  await keys.revokeKey(id, fixture.nowMs)
  assert.deepEqual(await views.listViews(id), [])
})
