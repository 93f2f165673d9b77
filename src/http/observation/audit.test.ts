import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { InjectOptions } from 'fastify'
import { type AppFixture, openAppFixture } from '../../../test/harness/app/app-fixture.ts'
import type { AuditEntry } from '../../audit/audit-entry.ts'
import type { Storage } from '../../storage/storage.ts'
import { listRoutes } from '../access/access.ts'
import { LOCAL_TOKEN_HEADER } from '../access/local-caller.ts'
import { auditRuleOf } from './audit.ts'

const UUID = /^[0-9a-f-]{36}$/

let fixture: AppFixture
before(async () => {
  fixture = await openAppFixture({ localToken: 'local' })
})
after(() => fixture[Symbol.asyncDispose]())

/** Entries since the last call, oldest first. */
const newEntries = (() => {
  let lastId = 0
  return async (): Promise<readonly AuditEntry[]> => {
    const { entries } = await fixture.storage.control.audit.list({ filters: {}, limit: 1000 })
    const fresh = entries.filter(({ id }) => id > lastId).toReversed()
    lastId = entries[0]?.id ?? lastId
    return fresh
  }
})()

function call(method: 'GET' | 'POST' | 'DELETE', url: string, key: string | null, extra: InjectOptions = {}) {
  const headers = { ...(key !== null && { authorization: key }), ...extra.headers }
  return fixture.app.inject({ method, url, ...extra, headers })
}

const body = (value: object): InjectOptions => ({ payload: JSON.stringify(value) })

describe('the route table', () => {
  const audited = () => listRoutes(fixture.app).filter(({ url }) => /^\/v1\/(?:admin\/|session)/.test(url))

  test('every route of the administration and of sessions that changes something is recorded', () => {
    const changes = audited().filter(({ method }) => method !== 'GET' && method !== 'HEAD')
    assert(changes.length >= 14)
    for (const { method, url, config } of changes)
      assert.match(config?.audit?.rule ?? 'not at all', /^(each|summed)$/, `${String(method)} ${url}`)
  })

  test('only requests that mail servers make for every message are summed', () => {
    const summed = audited().filter(({ config }) => config?.audit?.rule === 'summed')
    const actions = new Set(summed.map(({ config }) => config?.audit?.action))
    assert.deepEqual(actions, new Set(['makeReturnPath', 'verifyReturnPath']))
  })

  test('denied requests are recorded for every route of the administration', () => {
    const routes = audited().filter(({ url }) => url.startsWith('/v1/admin/'))
    assert.deepEqual(
      routes.filter(({ config }) => !config?.audit),
      [],
    )
  })

  test('a route that declares no rule is recorded if it changes the administration or a session', () => {
    for (const [method, url, rule] of [
      ['POST', '/v1/admin/keys', 'each'],
      ['GET', '/v1/admin/keys', 'denied'],
      ['DELETE', '/v1/session', 'each'],
      ['POST', '/v1/session/end-all', 'each'],
      ['GET', '/v1/session', undefined],
      ['GET', '/v1/events', undefined],
      ['POST', '/v1/views', undefined],
      ['POST', '/ingest/v1/admin/', undefined],
    ] as const)
      assert.equal(auditRuleOf(method, url), rule, `${method} ${url}`)
  })

  test('requests to all other routes pay nothing for it', () => {
    // HEAD routes have a hook of the framework.
    const others = listRoutes(fixture.app).filter(({ config, method }) => !config?.audit && method !== 'HEAD')
    assert(others.length > 10)
    for (const { url, onSend } of others) assert.equal(onSend, undefined, url)
  })

  test('every route that returns a secret is recorded, with each request', async () => {
    const [domain] = fixture.acme.domains
    const secrets = [/PRIVATE KEY/, new RegExp(fixture.references.key.toString('hex')), /"secret"/, /env_\w{12}_\w{49}/]
    const secretive: string[] = []
    // The stream never ends.
    const reads = audited().filter(({ method, url }) => method === 'GET' && !url.endsWith('/stream'))
    for (const { method, url, config } of reads) {
      const path = url.replace(':name', domain.name).replace(':selector', 'current').replace(/:\w+/, 'x')
      const answer = await call(method as 'GET', path, fixture.operatorKey)
      if (!secrets.some((secret) => secret.test(answer.body))) continue
      secretive.push(config?.audit?.action ?? url)
      assert.equal(config?.audit?.rule, 'each', `${url} returns a secret: declare audit: 'each'`)
    }
    assert.deepEqual(secretive.sort(), ['getDkimPrivateKey', 'getReturnPathKey', 'getTrackingSecret'])
    const entries = (await newEntries()).filter(({ kind }) => kind !== 'reading')
    assert.deepEqual(entries.map(({ action }) => action).sort(), secretive)
  })
})

describe('an operator who reads the mail of tenants', () => {
  const readingKey = async () => (await fixture.createKey('operator', ['read'])).key

  test('is in the audit log: once an hour for each tenant, with the number of requests', async () => {
    await fixture.audit.flush()
    await newEntries()
    const key = await readingKey()
    const rival = fixture.rival.tenant.id
    for (const path of [
      '/v1/admin/events',
      '/v1/admin/events?tenant=acme',
      `/v1/admin/events?tenant=${rival}&limit=1`,
      '/v1/admin/events?tenant=rival',
      '/v1/admin/events?domain=acme.test',
      '/v1/admin/events?tenant=rival&tenant=acme&tenant=rival',
      '/v1/admin/messages/none?domain=acme.test',
      '/v1/admin/messages/none',
      '/v1/admin/events?tenant=nobody',
      '/v1/admin/stats/series',
      '/v1/admin/tenants',
    ])
      await call('GET', path, key)
    assert.deepEqual(await newEntries(), [])
    await fixture.audit.flush()
    const entries = await newEntries()
    assert.deepEqual(
      entries.map(({ kind, action, object, count, outcome }) => [kind, action, object, count, outcome]),
      [
        ['reading', 'searchAllEvents', 'all tenants', 1, 'success'],
        ['reading', 'searchAllEvents', 'acme', 1, 'success'],
        ['reading', 'searchAllEvents', 'rival', 2, 'success'],
        ['reading', 'searchAllEvents', 'acme.test', 1, 'success'],
        ['reading', 'searchAllEvents', 'acme, rival', 1, 'success'],
        ['reading', 'getAnyMessage', 'acme.test', 1, 'refused'],
        ['reading', 'getAnyMessage', 'all tenants', 1, 'refused'],
        ['reading', 'searchAllEvents', undefined, 1, 'refused'],
      ],
    )
    assert.deepEqual(new Set(entries.map(({ actor }) => actor.id)), new Set([key.split('_')[1]]))
  })

  test('is recorded by every endpoint that returns events', () => {
    const reading = listRoutes(fixture.app).filter(({ config }) => config?.audit?.rule === 'reading')
    assert.deepEqual(
      new Set(reading.map(({ url }) => url)),
      new Set(['/v1/admin/events', '/v1/admin/events/stream', '/v1/admin/messages/:id']),
    )
  })
})

describe('what an operator does', () => {
  test('is in the audit log when the response arrives: who, from where, what, and how it ended', async () => {
    const keyId = fixture.operatorKey.split('_')[1]
    const created = await call('POST', '/v1/admin/keys', fixture.operatorKey, body({ tenant: 'acme' }))
    const { id } = created.json<{ id: string }>()
    await call('DELETE', `/v1/admin/keys/${id}`, fixture.operatorKey)
    await call('DELETE', '/v1/admin/keys/nobody', fixture.operatorKey)
    await call('POST', '/v1/admin/tenants', fixture.operatorKey, body({ name: 'acme' }))
    await call('POST', '/v1/admin/tenants', fixture.operatorKey, { payload: '{' })
    const entries = await newEntries()
    assert.deepEqual(
      entries.map(({ action, object, outcome, status }) => [action, object, outcome, status]),
      [
        ['createKey', id, 'success', 201],
        ['revokeKey', id, 'success', 204],
        ['revokeKey', 'nobody', 'refused', 404],
        ['createTenant', 'acme', 'refused', 409],
        ['createTenant', undefined, 'refused', 400],
      ],
    )
    for (const entry of entries) {
      assert.deepEqual(entry.actor, { type: 'operator', id: keyId, address: '127.0.0.1' })
      assert.deepEqual([entry.kind, entry.count, entry.timeMs], ['administration', 1, fixture.nowMs])
      assert.match(entry.requestId, UUID)
    }
    assert.equal(entries[0]?.requestId, created.headers['x-request-id'])
  })

  test('a tenant is named in the same way by every action on it', async () => {
    const created = await call('POST', '/v1/admin/tenants', fixture.operatorKey, body({ name: 'Globex' }))
    const tenant = `/v1/admin/tenants/${created.json<{ id: string }>().id}`
    await call('POST', tenant, fixture.operatorKey, body({ retentionDays: 30 }))
    await call('POST', tenant, fixture.operatorKey, body({ retentionDays: 'x' }))
    for (const action of ['suspend', 'resume']) await call('POST', `${tenant}/${action}`, fixture.operatorKey)
    await call('DELETE', tenant, fixture.operatorKey)
    await call('POST', '/v1/admin/tenants/nobody/suspend', fixture.operatorKey)
    assert.deepEqual(
      (await newEntries()).map(({ action, object, status }) => [action, object, status]),
      [
        ['createTenant', 'Globex', 201],
        ['changeTenant', 'Globex', 200],
        ['changeTenant', 'Globex', 400],
        ['suspendTenant', 'Globex', 200],
        ['resumeTenant', 'Globex', 200],
        ['removeTenant', 'Globex', 400],
        ['suspendTenant', 'nobody', 404],
      ],
    )
  })

  test('what an action was about is in its entry: the new object, or what was chosen', async () => {
    await call('POST', '/v1/admin/domains', fixture.operatorKey, body({ name: 'New.test', tenant: 'acme' }))
    const key = await call('POST', '/v1/admin/domains/new.TEST/keys', fixture.operatorKey, body({}))
    for (const chosen of ['id=7&id=8', 'connector=native', 'source=local', 'all=true'])
      await call('DELETE', `/v1/admin/quarantine?${chosen}`, fixture.operatorKey)
    const headers = { [LOCAL_TOKEN_HEADER]: 'local' }
    await call('POST', '/v1/admin/backup', null, { headers, ...body({ folder: 'not/absolute' }) })
    await call('POST', '/v1/admin/days/2026-01-31/accept', fixture.operatorKey)
    assert.deepEqual(
      (await newEntries()).map(({ action, object }) => [action, object]),
      [
        ['addDomain', 'New.test'],
        ['rotateDkimKey', `new.test ${key.json<{ selector: string }>().selector}`],
        ['dropQuarantine', '7 8'],
        ['dropQuarantine', 'native'],
        ['dropQuarantine', 'local'],
        ['dropQuarantine', 'all'],
        ['backUp', 'not/absolute'],
        ['acceptDay', '2026-01-31'],
      ],
    )
  })

  test('reads that return no secret are not recorded', async () => {
    for (const url of ['/v1/admin/keys', '/v1/admin/tenants', '/v1/admin/audit', '/v1/session'])
      assert.equal((await call('GET', url, fixture.operatorKey)).statusCode, 200)
    assert.deepEqual(await newEntries(), [])
  })

  test('a key that was pasted in place of its id is not in the audit log', async () => {
    const { key, id } = await fixture.createKey('operator', ['ingest'])
    await call('DELETE', `/v1/admin/keys/${key}`, fixture.operatorKey)
    const [entry] = await newEntries()
    assert.equal(entry?.object, `env_${id}_…`)
  })

  test('a name that a caller has chosen is shortened, that of an object and that of a user', async () => {
    const headers = { 'x-envelog-user': `${'u'.repeat(100)}`, [LOCAL_TOKEN_HEADER]: 'local' }
    await call('DELETE', `/v1/admin/domains/${'x'.repeat(300)}.test`, null, { headers })
    const [entry] = await newEntries()
    assert.deepEqual([entry?.object, entry?.actor.id], ['x'.repeat(256), 'u'.repeat(64)])
  })

  test('a local caller is recorded with the name of the user, and a header does not make one', async () => {
    const headers = { 'x-envelog-user': 'root', [LOCAL_TOKEN_HEADER]: 'local' }
    await call('POST', '/v1/admin/tenants', null, { headers, ...body({ name: 'local one' }) })
    await call('POST', '/v1/admin/tenants', fixture.operatorKey, {
      headers: { 'x-envelog-user': 'root' },
      ...body({ name: 'other one' }),
    })
    const [local, other] = await newEntries()
    assert.deepEqual(local?.actor, { type: 'local', id: 'root' })
    assert.equal(other?.actor.type, 'operator')
  })

  test('a key that has a name is recorded with it', async () => {
    const wrapStorage = (storage: Storage): Storage => {
      const { keys } = storage.control
      const findKey = async (id: string) => {
        const record = await keys.findKey(id)
        return record && { ...record, name: `name of ${id}` }
      }
      return { ...storage, control: { ...storage.control, keys: { ...keys, findKey } } }
    }
    await using named = await openAppFixture({ wrapStorage })
    await named.post('/v1/admin/tenants', named.operatorKey, body({ name: 'new' }))
    const [entry] = (await named.storage.control.audit.list({ filters: {}, limit: 1 })).entries
    assert.equal(entry?.actor.name, `name of ${named.operatorKey.split('_')[1]}`)
  })

  test('a long job is recorded when it ends, before its last line', async () => {
    const answer = await call('POST', '/v1/admin/recount', fixture.operatorKey)
    assert.match(answer.body, /"ok":true/)
    const [entry] = await newEntries()
    assert.deepEqual([entry?.action, entry?.outcome, entry?.status], ['recount', 'success', 200])
  })

  test('return paths are summed by hour and caller', async () => {
    const asked = body({ domain: 'acme.test', messageId: 'm1' })
    for (let index = 0; index < 5; index++) {
      assert.equal((await call('POST', '/v1/admin/return-paths', fixture.operatorKey, asked)).statusCode, 200)
    }
    assert.deepEqual(await newEntries(), [])
    await fixture.audit.flush()
    const entries = await newEntries()
    assert.deepEqual(
      entries.map(({ action, count, kind }) => [action, count, kind]),
      [['makeReturnPath', 5, 'administration']],
    )
  })
})

describe('sessions and refusals', () => {
  test('sign-ins and sign-outs are recorded, those of tenants as sums', async () => {
    for (const key of [fixture.operatorKey, fixture.acme.key]) {
      const signedIn = await call('POST', '/v1/session', null, body({ key }))
      assert.equal(signedIn.statusCode, 200)
      const [cookie = ''] = String(signedIn.headers['set-cookie']).split(';')
      const { csrfToken } = signedIn.json<{ csrfToken: string }>()
      const headers = {
        cookie,
        'x-csrf-token': csrfToken,
        origin: 'http://localhost:80',
        host: 'localhost:80',
      }
      assert.equal((await call('DELETE', '/v1/session', null, { headers })).statusCode, 204)
    }
    await fixture.audit.flush()
    const entries = await newEntries()
    assert.deepEqual(
      entries.map(({ kind, action, actor, outcome }) => [kind, action, actor.type, outcome]),
      [
        ['administration', 'signIn', 'operator', 'success'],
        ['administration', 'signOut', 'operator', 'success'],
        ['session', 'signIn', 'tenant', 'success'],
        ['session', 'signOut', 'tenant', 'success'],
      ],
    )
  })

  test('failed sign-ins, and requests without a valid key or scope, are sums by network', async () => {
    const { key: ingestKey, id: ingestId } = await fixture.createKey('operator', ['ingest'])
    const from = (remoteAddress: string): InjectOptions => ({ remoteAddress })
    for (const address of ['2001:db8::1', '2001:db8::2', '2001:db8:0:1::1']) {
      await call('POST', '/v1/session', null, { ...from(address), ...body({ key: 'rubbish' }) })
      await call('GET', '/v1/admin/keys', 'rubbish', from(address))
    }
    await call('POST', '/v1/admin/keys', ingestKey, body({ tenant: 'acme' }))
    await call('GET', '/v1/admin/tenants', fixture.acme.key)
    assert.deepEqual(await newEntries(), [])
    await fixture.audit.flush()
    const entries = await newEntries()
    const shown = entries.map(({ action, actor, count, status }) => [action, actor.id ?? actor.address, count, status])
    assert.deepEqual(shown, [
      ['signIn', '2001:db8:0:0::/64', 2, 401],
      ['listKeys', '2001:db8:0:0::/64', 2, 401],
      ['signIn', '2001:db8:0:1::/64', 1, 401],
      ['listKeys', '2001:db8:0:1::/64', 1, 401],
      ['createKey', ingestId, 1, 403],
      ['listTenants', fixture.acme.key.split('_')[1], 1, 403],
    ])
    for (const { kind, outcome } of entries) assert.deepEqual([kind, outcome], ['denied', 'refused'])
  })

  test('refused requests of strangers write nothing until the next flush, which writes one entry', async () => {
    let adds = 0
    const wrapStorage = (storage: Storage): Storage => withAudit(storage, async () => void adds++)
    await using watched = await openAppFixture({ wrapStorage })
    for (let index = 0; index < 500; index++) await watched.get('/v1/admin/keys', 'rubbish')
    assert.equal(adds, 0)
    await watched.audit.flush()
    assert.equal(adds, 1)
    const { entries } = await watched.storage.control.audit.list({ filters: {}, limit: 10 })
    assert.deepEqual(
      entries.map(({ count }) => count),
      [500],
    )
  })
})

test('if the entry cannot be written, the response is that of the action, and the loss is logged and counted', async () => {
  const wrapStorage = (storage: Storage): Storage =>
    withAudit(storage, async () => {
      throw new Error('disk full')
    })
  await using broken = await openAppFixture({ wrapStorage })
  const answer = await broken.post('/v1/admin/tenants', broken.operatorKey, body({ name: 'new' }))
  assert.equal(answer.statusCode, 201)
  const [line] = broken.logLines.filter(({ msg }) => msg === 'audit entry lost')
  assert.equal(line?.['action'], 'createTenant')
  assert.equal(line?.['requestId'], answer.headers['x-request-id'])
  assert.equal(JSON.stringify(line).includes('127.0.0.1'), false)
  const metrics = await broken.get('/metrics', broken.operatorKey)
  assert.match(metrics.body, /^envelog_audit_lost_total 1$/m)
})

function withAudit(storage: Storage, beforeAdd: () => Promise<void>): Storage {
  const { audit } = storage.control
  const add: typeof audit.add = async (entries) => {
    await beforeAdd()
    await audit.add(entries)
  }
  return {
    ...storage,
    get health() {
      return storage.health
    },
    control: { ...storage.control, audit: { ...audit, add } },
  }
}
