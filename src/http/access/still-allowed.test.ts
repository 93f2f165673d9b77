/** Long responses end with the permission to have them. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { after, afterEach, before, describe, test } from 'node:test'
import { type AppFixture, openAppFixture } from '../../../test/harness/app/app-fixture.ts'
import { EventStream } from '../../../test/harness/log/event-stream.ts'
import type { Storage } from '../../storage/storage.ts'
import { LOCAL_OPERATOR, type Principal } from '../../tenants/principal.ts'
import type { AppDeps } from '../app-deps.ts'
import type { Session } from '../v1/session/session.wire.ts'
import { isStillAllowed } from './still-allowed.ts'

const EVENTS = 1200

let fixture: AppFixture
let address: string
/** Pages after the first wait for it. */
let gate: Promise<void> = Promise.resolve()

/** Real storage that can be held up between two pages, so that something can happen in the middle of an export. */
function heldUp(storage: Storage): Storage {
  const list: Storage['log']['list'] = async (query) => {
    if (query.after !== undefined) await gate
    return storage.log.list(query)
  }
  return { ...storage, log: { ...storage.log, list } }
}

before(async () => {
  fixture = await openAppFixture({ wrapStorage: heldUp })
  await fixture.ingest(Array.from({ length: EVENTS }, () => fixture.event()))
  address = await fixture.app.listen({ port: 0, host: '127.0.0.1' })
})
after(() => fixture[Symbol.asyncDispose]())
afterEach(() => fixture.storage.control.keys.changeTenant(fixture.acme.tenant.id, { suspendedAtMs: null }))

interface Ways {
  readonly headers: Record<string, string>
  readonly end: () => Promise<unknown>
}

async function signIn(key: string): Promise<{ cookie: string; csrf: string }> {
  const answer = await fixture.post('/v1/session', null, { payload: JSON.stringify({ key }) })
  return {
    cookie: String(answer.headers['set-cookie']).split(';')[0] ?? '',
    csrf: answer.json<Session>().csrfToken ?? '',
  }
}

async function signOut({ cookie, csrf }: { cookie: string; csrf: string }, query = ''): Promise<void> {
  const headers = { cookie, 'x-csrf-token': csrf, 'sec-fetch-site': 'same-origin' }
  const answer = await fixture.app.inject({ method: 'DELETE', url: `/v1/session${query}`, headers })
  assert.equal(answer.statusCode, 204)
}

/** Everything that takes a permission away. */
const WAYS: Readonly<Record<string, () => Promise<Ways>>> = {
  async 'the key is revoked'() {
    const { id, key } = await fixture.createKey(fixture.acme.tenant)
    return {
      headers: { authorization: key },
      end: () => fixture.storage.control.keys.revokeKey(id, fixture.nowMs),
    }
  },
  async 'the key of its session is revoked'() {
    const { id, key } = await fixture.createKey(fixture.acme.tenant)
    const { cookie } = await signIn(key)
    return { headers: { cookie }, end: () => fixture.storage.control.keys.revokeKey(id, fixture.nowMs) }
  },
  async 'its session is signed out'() {
    const session = await signIn(fixture.acme.key)
    return { headers: { cookie: session.cookie }, end: () => signOut(session) }
  },
  async 'all sessions of its key are signed out'() {
    const session = await signIn(fixture.acme.key)
    const other = await signIn(fixture.acme.key)
    return { headers: { cookie: session.cookie }, end: () => signOut(other, '?everywhere=true') }
  },
  async 'its tenant is suspended'() {
    const { id } = fixture.acme.tenant
    return {
      headers: { authorization: fixture.acme.key },
      end: () => fixture.post(`/v1/admin/tenants/${id}/suspend`, fixture.operatorKey),
    }
  },
  async 'the operator ends all sessions'() {
    const { cookie } = await signIn(fixture.acme.key)
    return { headers: { cookie }, end: () => fixture.post('/v1/admin/sessions/end', fixture.operatorKey) }
  },
}

/** How a response ended: whole, or broken off. */
async function drain(response: IncomingMessage): Promise<{ lines: number; isWhole: boolean }> {
  let lines = 0
  try {
    for await (const chunk of response) lines += String(chunk).split('\n').length - 1
    return { lines, isWhole: response.complete }
  } catch {
    return { lines, isWhole: false }
  }
}

async function startExport(headers: Record<string, string>): Promise<IncomingMessage> {
  const [response] = (await once(get(`${address}/v1/events?format=ndjson`, { headers }), 'response')) as [
    IncomingMessage,
  ]
  return response
}

describe('an export is broken off, so that nobody takes it for whole, when', () => {
  for (const [way, prepare] of Object.entries(WAYS)) {
    test(way, async () => {
      const { headers, end } = await prepare()
      const held = Promise.withResolvers<void>()
      gate = held.promise
      const response = await startExport(headers)
      assert.equal(response.statusCode, 200)
      await end()
      held.resolve()
      const { lines, isWhole } = await drain(response)
      assert(!isWhole)
      assert(lines < EVENTS, `${lines} events were sent`)
    })
  }
})

test('an export that nobody ends is whole', async () => {
  gate = Promise.resolve()
  for (const headers of [{ authorization: fixture.acme.key }, { cookie: (await signIn(fixture.acme.key)).cookie }]) {
    assert.deepEqual(await drain(await startExport(headers)), { lines: EVENTS, isWhole: true })
  }
})

test('a local caller is always allowed, one that is not known never, and a failure is neither', async () => {
  const keys = { findKey: () => Promise.reject(new Error('no disk')) }
  const deps = { storage: { control: { keys } }, clock: () => 0 } as unknown as AppDeps
  const isAllowed = (principal: Principal | null) => isStillAllowed(deps, { principal, session: null, ip: '::1' })
  assert.equal(await isAllowed(LOCAL_OPERATOR), true)
  assert.equal(await isAllowed(null), false)
  await assert.rejects(isAllowed({ ...LOCAL_OPERATOR }), /no disk/)
})

describe('a stream ends when', () => {
  for (const [way, prepare] of Object.entries(WAYS)) {
    test(way, async () => {
      const { headers, end } = await prepare()
      await using stream = await EventStream.open(`${address}/v1/events/stream`, headers)
      assert.equal((await stream.next())?.event, 'position')
      await end()
      assert.equal(await stream.next(), undefined)
    })
  }
})
