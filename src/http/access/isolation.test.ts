/**
 * Who sees what: every route of the route table, called with every credential, with the names and ids of the caller's tenant, of
 * another tenant and of none. Rows and credentials are in test/harness/app/isolation-*.ts.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, describe, test } from 'node:test'
import type { RouteOptions } from 'fastify'
import { type AppFixture, openAppFixture } from '../../../test/harness/app/app-fixture.ts'
import {
  type Credential,
  ISOLATION_LOCAL_TOKEN,
  openCredentials,
} from '../../../test/harness/app/isolation-credentials.ts'
import { type Asked, ISOLATION_ROWS, type IsolationRow } from '../../../test/harness/app/isolation-rows.ts'
import {
  findMarks,
  type Marks,
  makeMarks,
  markedEvent,
  openTenantScene,
  SHARED_MESSAGE,
  type TenantScene,
  withoutMarks,
} from '../../../test/harness/app/isolation-scene.ts'
import { type Access, listRoutes } from './access.ts'

let fixture: AppFixture
let own: TenantScene
let other: TenantScene
let credentials: readonly Credential[]
const nobody = makeMarks()

before(async () => {
  fixture = await openAppFixture({ localToken: ISOLATION_LOCAL_TOKEN, tenantsAddDomains: true })
  own = await openTenantScene(fixture)
  other = await openTenantScene(fixture)
  credentials = await openCredentials(fixture, own, other)
  // The sessions and events of the scene are recent again.
  await fixture.ingest([own, other].flatMap(({ marks }) => [markedEvent(fixture, marks)]))
})
after(() => fixture[Symbol.asyncDispose]())

interface Target {
  readonly name: string
  readonly method: 'GET' | 'HEAD' | 'POST' | 'DELETE'
  readonly access: Access
  readonly isV1: boolean
  readonly row: IsolationRow
}

function toTarget({ method, url, config }: RouteOptions): Target {
  const name = `${String(method)} ${url}`
  const row = ISOLATION_ROWS[name.replace(/^HEAD/, 'GET')]
  assert(row, `${name} is a new route: add a row to test/harness/app/isolation-rows.ts that says how to call it`)
  assert(config?.access)
  return { name, method: method as Target['method'], access: config.access, isV1: config.surface === 'v1', row }
}

interface Seen {
  readonly status: number
  /** All headers and the body. */
  readonly text: string
  readonly body: string
}

async function send(target: Target, { path, body, headers }: Asked, credential: Credential): Promise<Seen> {
  const answer = await fixture.app.inject({
    method: target.method,
    url: path,
    headers: { ...headers, ...(await credential.headers()) },
    ...(body !== undefined && { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
    payloadAsStream: true,
  })
  const received = answer.stream()
  const chunks: Buffer[] = []
  if (target.row.isStream && answer.statusCode === 200) {
    const [first] = (await once(received, 'data')) as [Buffer]
    chunks.push(first)
    received.destroy()
  } else for await (const chunk of received) chunks.push(chunk as Buffer)
  const rest = Object.entries(answer.headers).filter(([name]) => !/^(?:date|x-request-id|ratelimit.*)$/.test(name))
  const text = Buffer.concat(chunks).toString()
  return { status: answer.statusCode, text: `${JSON.stringify(rest)}\n${text}`, body: text }
}

function asksOf({ row }: Target, marks: Marks): readonly Asked[] {
  return row.ask(marks).map((asked) => (typeof asked === 'string' ? { path: asked } : asked))
}

/** Scopes that include another one. */
const INCLUDED_IN: Readonly<Record<string, readonly string[]>> = { read: ['read', 'admin'] }

/** By kind of key. */
function scopesOf(access: Access): { readonly tenant?: string; readonly operator?: string } {
  return typeof access === 'string' ? {} : access
}

/** The status of a refusal for lack of a valid credential or scope; undefined if the credential suffices. */
function refusalOf(target: Target, { holder, scopes, isSession, isLocal }: Credential): 401 | 403 | undefined {
  const { access, isV1, row } = target
  if (access === 'public') return undefined
  if (holder === undefined || (isSession && !isV1)) return 401
  if (access === 'key') return undefined
  const needed = scopesOf(access)[holder === 'operator' ? 'operator' : 'tenant']
  if (needed === undefined || !(INCLUDED_IN[needed] ?? [needed]).some((scope) => scopes.includes(scope))) {
    return isV1 ? 403 : 401
  }
  return row.isLocal && !isLocal ? 403 : undefined
}

/** Malformed in every way: a caller who is refused must not learn about that. */
const rubbish = (target: Target): Asked => {
  const [, pattern = ''] = target.name.split(' ')
  const names = ['limit', 'take', 'type', 'bucket', 'domain', 'cursor', 'next_token', 'format', 'id']
  const query = names.map((name) => `${name}=rubbish`).join('&')
  return { path: `${pattern.replaceAll(/:\w+/g, 'rubbish')}?${query}`, body: '{' }
}

const PUBLIC_CALLERS = ['no key', 'rubbish', 'a key with all scopes']

describe('every route, with every credential', () => {
  test('has a row, and every row is of a route', () => {
    const targets = listRoutes(fixture.app).map(toTarget)
    const names = new Set(targets.map(({ name }) => name))
    assert.deepEqual(
      Object.keys(ISOLATION_ROWS).filter((name) => !names.has(name)),
      [],
    )
    assert(targets.length > 100)
  })

  test('a caller without a valid key or scope gets the same refusal whatever is asked, and nothing else', async () => {
    let refusals = 0
    for (const target of listRoutes(fixture.app).map(toTarget)) {
      for (const credential of credentials) {
        const status = refusalOf(target, credential)
        if (status === undefined) continue
        const asked = [own.marks, other.marks].flatMap((marks) => asksOf(target, marks))
        const expected = await send(target, rubbish(target), credential)
        const what = `${target.name} with ${credential.name}`
        assert.equal(expected.status, status, what)
        for (const ask of asked) assert.deepEqual(await send(target, ask, credential), expected, `${what}: ${ask.path}`)
        assertRefusal(target, credential, expected, what)
        fixture.advance(5000)
        refusals++
      }
    }
    assert(refusals > 1000)
  })

  test("nobody but the operator sees anything of another tenant's", async () => {
    let answers = 0
    for (const target of listRoutes(fixture.app).map(toTarget)) {
      for (const credential of credentials) {
        if (refusalOf(target, credential) !== undefined) continue
        // A public route does not look at the key.
        if (target.access === 'public' && !PUBLIC_CALLERS.includes(credential.name)) continue
        for (const aim of [own.marks, other.marks]) {
          for (const asked of asksOf(target, aim)) {
            const seen = await send(target, asked, credential)
            const what = `${target.name} with ${credential.name}: ${asked.path} answered ${seen.status} ${seen.body.slice(0, 300)}`
            if (target.row.status) assert.equal(seen.status, target.row.status, what)
            else assert(seen.status < 500 && ![401, 403].includes(seen.status), what)
            assertNothingOfOthers(target, credential, asked, seen, what)
            answers++
          }
        }
        // Sign-in and verification have rate limits.
        fixture.advance(60_000)
      }
    }
    assert(answers > 500)
  })

  test('no tenant can ask where messages were sent from, and the refusal does not depend on the answer', async () => {
    const sending = ({ sendingAddress, sendingSource, sendingPool }: Marks) => [
      `sending_address=${sendingAddress}`,
      `sending_source=${sendingSource}`,
      `sending_pool=${sendingPool}&domain=${other.marks.domain}`,
      'sending_address=rubbish',
    ]
    const paths = [
      ...['', '?format=csv', '?format=ndjson', '/stream'].map((rest) => `/v1/events${rest}`),
      '/v1/stats/series',
      '/v1/stats/series?group=sending_address',
    ]
    for (const path of paths) {
      const expected = await fixture.get(
        `${path}${path.includes('?') ? '&' : '?'}sending_pool=${nobody.sendingPool}`,
        own.keys.all,
      )
      assert.equal(expected.statusCode, 403)
      for (const query of [own.marks, other.marks, nobody].flatMap(sending)) {
        const answer = await fixture.get(`${path}${path.includes('?') ? '&' : '?'}${query}`, own.keys.all)
        assert.deepEqual([answer.statusCode, answer.body], [403, expected.body], `${path} ${query}`)
      }
    }
    for (const group of ['sending_address', 'sending_source', 'sending_pool'])
      assert.equal((await fixture.get(`/v1/stats/series?group=${group}`, own.keys.all)).statusCode, 403)
  })

  test('a public route answers with the same status whatever key is sent', async () => {
    const callers = credentials.filter(({ name }) => PUBLIC_CALLERS.includes(name))
    for (const target of listRoutes(fixture.app).map(toTarget)) {
      if (target.access !== 'public') continue
      for (const asked of asksOf(target, nobody)) {
        const seen = await Promise.all(callers.map((credential) => send(target, asked, credential)))
        assert.equal(new Set(seen.map(({ status }) => status)).size, 1, `${target.name}: ${asked.path}`)
      }
    }
  })

  test("what is another tenant's gets byte for byte the answer of what does not exist", async () => {
    const tenant = credentials.find(({ name }) => name === 'a key with all scopes')
    assert(tenant)
    for (const target of listRoutes(fixture.app).map(toTarget)) {
      if (refusalOf(target, tenant) !== undefined || target.access === 'public') continue
      for (const [index, ask] of asksOf(target, nobody).entries()) {
        const foreign = asksOf(target, other.marks)[index]
        assert(foreign)
        // Verification has a rate limit.
        fixture.advance(60_000)
        const missing = await send(target, ask, tenant)
        const seen = await send(target, foreign, tenant)
        const what = `${target.name}: ${foreign.path}`
        if (target.row.isStream && seen.status === 200) continue
        assert.equal(withoutMarks(seen.text, other.marks), withoutMarks(missing.text, nobody), what)
        assert.equal(seen.status, missing.status, what)
      }
    }
  })

  test('a tenant sees its own: the marks would be found', async () => {
    for (const credential of credentials.filter(({ holder }) => holder === own || holder === other)) {
      const { marks } = credential.holder as TenantScene
      for (const target of listRoutes(fixture.app).map(toTarget)) {
        const { access, method, row } = target
        const { tenant, operator } = scopesOf(access)
        if (tenant === undefined || operator !== undefined || row.showsNothing) continue
        if (method === 'HEAD' || refusalOf(target, credential) !== undefined) continue
        fixture.advance(60_000)
        const seen = await Promise.all(asksOf(target, marks).map((asked) => send(target, asked, credential)))
        const found = new Set(seen.flatMap(({ body }) => findMarks(body, marks)))
        assert(found.size > 0, `${target.name} with ${credential.name}`)
      }
    }
  })
})

function assertRefusal(
  { method, row }: Target,
  { refusal }: Credential,
  { status, text, body }: Seen,
  what: string,
): void {
  for (const marks of [own.marks, other.marks]) assert.deepEqual(findMarks(text, marks), [], what)
  assert.equal(text.includes('www-authenticate'), status === 401, what)
  if (method === 'HEAD') return
  const { message, ...rest } = JSON.parse(body) as { message: string }
  assert.deepEqual(rest, { error: status }, what)
  if (row.isLocal && status === 403) assert.match(message, /scope admin$|on the server's machine/, what)
  else if (refusal === undefined || status === 403) assert.match(message, /scope \w+$|^Missing Authorization/, what)
  else assert([refusal, 'Missing Authorization header: send your API key in it'].includes(message), what)
}

/** A mark that the caller has sent itself may come back. */
function assertNothingOfOthers(target: Target, credential: Credential, asked: Asked, seen: Seen, what: string): void {
  const { access } = target
  const isOperators = access === 'key' || !['ingest', undefined].includes(scopesOf(access).operator)
  if (credential.holder === 'operator' && isOperators) return
  const sent = `${asked.path} ${typeof asked.body === 'string' ? asked.body : JSON.stringify(asked.body)}`
  const holder = access === 'public' ? undefined : credential.holder
  for (const { marks } of [own, other]) {
    const sending = findMarks(seen.text, marks, sent).filter((role) => role.startsWith('sending'))
    assert.deepEqual(sending, [], `where messages were sent from: ${what}`)
  }
  for (const scene of [own, other]) {
    if (scene !== holder) assert.deepEqual(findMarks(seen.text, scene.marks, sent), [], what)
  }
}

describe('what one caller was given, used by another', () => {
  const get = (url: string, key: string, headers: Record<string, string> = {}) => fixture.get(url, key, { headers })
  const json = async (url: string, key: string) => (await get(url, key)).json<Record<string, unknown>>()

  before(async () => {
    for (const { marks } of [own, other]) {
      await fixture.ingest([1, 2, 3].map((number) => markedEvent(fixture, marks, `${marks.message}-${number}`)))
    }
  })

  test('the token of a page continues for every key of the tenant, and for no other tenant', async () => {
    const page = await json(`/webhooks/${own.marks.domain}?limit=1`, own.keys.all)
    const token = `next_token=${encodeURIComponent(String(page['next_token']))}`
    const next = await get(`/webhooks/${own.marks.domain}?${token}`, own.keys.logs)
    assert.equal(next.statusCode, 200)
    assert(findMarks(next.body, own.marks).includes('recipient'))

    const garbage = await get(`/webhooks/${other.marks.domain}?next_token=rubbish`, other.keys.all)
    assert.equal(garbage.statusCode, 400)
    const foreign = await get(`/webhooks/${other.marks.domain}?${token}`, other.keys.all)
    assert.equal(foreign.statusCode, 400)
    assert.equal(foreign.body, garbage.body)
    const unknown = await get(`/webhooks/${nobody.domain}`, other.keys.all)
    assert.equal((await get(`/webhooks/${own.marks.domain}?${token}`, other.keys.all)).body, unknown.body)
  })

  test('so does the cursor of a search', async () => {
    const { next } = await json('/v1/events?limit=1', own.keys.all)
    const url = `/v1/events?cursor=${encodeURIComponent(String(next))}`
    const continued = await get(url, own.keys.logs)
    assert.equal(continued.statusCode, 200)
    assert(findMarks(continued.body, own.marks).includes('recipient'))
    const garbage = await get('/v1/events?cursor=rubbish', other.keys.all)
    const foreign = await get(url, other.keys.all)
    assert.deepEqual([foreign.statusCode, foreign.body], [garbage.statusCode, garbage.body])
    assert.equal(foreign.statusCode, 400)
  })

  test('a stream sends the events of its tenant, and resumes from positions of that tenant only', async () => {
    const open = async (key: string, lastEventId?: string) =>
      fixture.app.inject({
        url: '/v1/events/stream',
        headers: { authorization: key, ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) },
        payloadAsStream: true,
      })
    const read = async (answer: Awaited<ReturnType<typeof open>>, until: string): Promise<string> => {
      let text = ''
      for await (const chunk of answer.stream()) {
        text += String(chunk)
        if (text.includes(until)) break
      }
      return text
    }
    const streams = await Promise.all([own, other].map(({ keys }) => open(keys.all)))
    for (const number of [1, 2, 3]) {
      const name = (marks: Marks) => `${marks.message}-streamed-${number}`
      await fixture.ingest([own, other].map(({ marks }) => markedEvent(fixture, marks, name(marks))))
    }
    const [ownText = '', otherText = ''] = await Promise.all(
      [own, other].map(({ marks }, index) => {
        const stream = streams[index]
        assert(stream)
        return read(stream, `${marks.message}-streamed-3`)
      }),
    )
    assert(
      findMarks(ownText, own.marks).includes('recipient') && findMarks(otherText, other.marks).includes('recipient'),
    )
    assert.deepEqual(findMarks(ownText, other.marks), [])
    assert.deepEqual(findMarks(otherText, own.marks), [])

    const [, position = ''] = /^id: (.+)$/m.exec(ownText) ?? []
    const resumed = await open(own.keys.logs, position)
    assert.equal(resumed.statusCode, 200)
    assert.deepEqual(findMarks(await read(resumed, `${own.marks.message}-streamed-3`), other.marks), [])
    const [foreign, garbage] = await Promise.all([open(other.keys.all, position), open(other.keys.all, 'rubbish')])
    assert.deepEqual([foreign.statusCode, garbage.statusCode], [400, 400])
    assert.equal(await read(foreign, '}'), await read(garbage, '}'))
  })

  test('a message id that two tenants use shows each its own events', async () => {
    for (const [mine, theirs] of [[own, other] as const, [other, own] as const]) {
      for (const url of [
        `/v1/messages/${SHARED_MESSAGE}`,
        `/v1/events?message_id=${SHARED_MESSAGE}&format=ndjson`,
        `/webhooks/${mine.marks.domain}?message_id=${SHARED_MESSAGE}`,
      ]) {
        const answer = await get(url, mine.keys.all)
        assert.equal(answer.statusCode, 200, url)
        assert(findMarks(answer.body, mine.marks).includes('recipient'), url)
        assert.deepEqual(findMarks(answer.body, theirs.marks), [], url)
      }
    }
  })

  test('the cookie of a session gives no other key its rights, and its CSRF token fits no other session', async () => {
    const headersOf = (name: string) => credentials.find((credential) => credential.name === name)?.headers()
    const ownSession = await headersOf('a session')
    const operatorSession = await headersOf("an operator's session")
    assert(ownSession && operatorSession)
    const { cookie = '' } = operatorSession
    // The header is what counts.
    const withBoth = await get('/v1/admin/tenants', own.keys.all, { cookie })
    assert.equal(withBoth.statusCode, 403)
    const session = await get('/v1/session', other.keys.all, { cookie: ownSession['cookie'] ?? '' })
    assert.deepEqual(findMarks(session.body, own.marks), [])
    assert(findMarks(session.body, other.marks).includes('tenantName'))
    const crossed = await fixture.post('/v1/admin/tenants', null, {
      headers: { ...operatorSession, 'x-csrf-token': ownSession['x-csrf-token'] ?? '' },
      payload: '{"name":"forged"}',
    })
    assert.equal(crossed.statusCode, 403)
    assert.equal(await fixture.storage.control.keys.findTenantByName('forged'), undefined)
  })
})
