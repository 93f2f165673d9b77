/** Every kind of credential that a request can carry, with what it entitles to. */
import { LOCAL_TOKEN_HEADER } from '../../../src/http/access/local-caller.ts'
import { mintApiKey } from '../../../src/tenants/api-key.ts'
import { SESSION_MS } from '../../../src/tenants/session.ts'
import type { AppFixture } from './app-fixture.ts'
import type { TenantScene } from './isolation-scene.ts'

/** The fixture must have it. */
export const ISOLATION_LOCAL_TOKEN = 'token of the isolation test'

export interface Credential {
  readonly name: string
  /** Fresh ones for each request: some requests end a session. */
  readonly headers: () => Promise<Readonly<Record<string, string>>>
  /** Undefined if it is not valid. */
  readonly holder?: 'operator' | TenantScene
  readonly scopes: readonly string[]
  readonly isLocal?: true
  /** Sessions are accepted under /v1 only. */
  readonly isSession?: true
  /** The message of the refusal, if it is not valid. */
  readonly refusal?: string
}

const NO_KEY = 'Missing Authorization header: send your API key in it'
const INVALID = 'Invalid API key'
const TENANT_SCOPES = ['logs', 'domains', 'domainStats'] as const

/** Of the tenant `own`, of the tenant `other`, of the operator, and of nobody. */
export async function openCredentials(
  fixture: AppFixture,
  own: TenantScene,
  other: TenantScene,
): Promise<readonly Credential[]> {
  const signIn = async (key: string) => {
    const answer = await fixture.post('/v1/session', null, { payload: JSON.stringify({ key }) })
    const cookie = String(answer.headers['set-cookie']).split(';')[0] ?? ''
    const { csrfToken = '' } = answer.json<{ csrfToken?: string }>()
    return { cookie, 'x-csrf-token': csrfToken, 'sec-fetch-site': 'same-origin' }
  }
  const ended = await signIn(own.keys.all)
  fixture.advance(SESSION_MS + 1000)
  const revoked = await fixture.createKey(await tenantOf(fixture, own))
  await fixture.storage.control.keys.revokeKey(revoked.id, fixture.nowMs)
  const ingest = (await fixture.createKey('operator', ['ingest'])).key
  const admin = (await fixture.createKey('operator', ['admin'])).key
  const read = (await fixture.createKey('operator', ['read'])).key
  const tenantIngest = (await fixture.createKey(await tenantOf(fixture, own), ['ingest'])).key
  const expired = await fixture.createKey('operator', ['admin', 'ingest'], { expiresAtMs: fixture.nowMs + 1 })
  fixture.advance(1)
  const elsewhere = await fixture.createKey('operator', ['admin', 'ingest'], { networks: ['192.0.2.0/24'] })
  const key = (authorization: string) => async () => ({ authorization })
  const mistyped = `${own.keys.all.slice(0, -1)}${own.keys.all.endsWith('a') ? 'b' : 'a'}`

  return [
    { name: 'no key', headers: async () => ({}), scopes: [], refusal: NO_KEY },
    { name: 'an empty key', headers: key(' '), scopes: [], refusal: NO_KEY },
    { name: 'rubbish', headers: key('rubbish'), scopes: [], refusal: INVALID },
    { name: 'another scheme', headers: key('Basic YTpi'), scopes: [], refusal: INVALID },
    { name: 'a mistyped key', headers: key(mistyped), scopes: [], refusal: INVALID },
    { name: 'an unknown key', headers: key(mintApiKey().key), scopes: [], refusal: INVALID },
    { name: 'not ASCII', headers: key('\u00ff'), scopes: [], refusal: INVALID },
    { name: 'a revoked key', headers: key(`Bearer ${revoked.key}`), scopes: [], refusal: INVALID },
    { name: 'an expired key', headers: key(expired.key), scopes: [], refusal: INVALID },
    { name: 'a key from another network', headers: key(elsewhere.key), scopes: [], refusal: INVALID },
    {
      name: 'a forged session',
      headers: async () => ({ cookie: 'envelog_session=rubbish' }),
      scopes: [],
      isSession: true,
      refusal: 'The session has ended; sign in again',
    },
    {
      name: 'an ended session',
      headers: async () => ended,
      scopes: [],
      isSession: true,
      refusal: 'The session has ended; sign in again',
    },
    {
      name: 'the header of a local caller with another token',
      headers: async () => ({ [LOCAL_TOKEN_HEADER]: 'rubbish' }),
      scopes: [],
      refusal: NO_KEY,
    },
    ...[...TENANT_SCOPES, 'addDomains' as const].map((scope) => {
      return { name: `a key with ${scope}`, headers: key(own.keys[scope]), holder: own, scopes: [scope] }
    }),
    { name: 'a key with all scopes', headers: key(own.keys.all), holder: own, scopes: TENANT_SCOPES },
    { name: 'a key of the other tenant', headers: key(other.keys.all), holder: other, scopes: TENANT_SCOPES },
    {
      name: 'a session',
      headers: () => signIn(own.keys.all),
      holder: own,
      scopes: TENANT_SCOPES,
      isSession: true,
    },
    { name: 'a key with ingest', headers: key(tenantIngest), holder: own, scopes: ['ingest'] },
    { name: "an operator's key with read", headers: key(read), holder: 'operator', scopes: ['read'] },
    { name: "an operator's key with ingest", headers: key(ingest), holder: 'operator', scopes: ['ingest'] },
    { name: "an operator's key with admin", headers: key(admin), holder: 'operator', scopes: ['admin'] },
    {
      name: "an operator's session",
      headers: () => signIn(admin),
      holder: 'operator',
      scopes: ['admin'],
      isSession: true,
    },
    {
      name: 'a local caller',
      headers: async () => ({ [LOCAL_TOKEN_HEADER]: ISOLATION_LOCAL_TOKEN }),
      holder: 'operator',
      scopes: ['ingest', 'admin'],
      isLocal: true,
    },
  ]
}

async function tenantOf(fixture: AppFixture, { marks }: TenantScene) {
  const tenant = await fixture.storage.control.keys.findTenantByName(marks.tenantName)
  if (!tenant) throw new Error(`no tenant ${marks.tenantName}`)
  return tenant
}
