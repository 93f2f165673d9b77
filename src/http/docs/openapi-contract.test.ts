/**
 * Fourteen thousand generated requests over every documented operation: whatever is sent, the answer is one that the OpenAPI
 * document promises. Values are made from the documented schemas and mixed with hostile ones.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import fc from 'fast-check'
import type { InjectOptions, LightMyRequestResponse } from 'fastify'
import { type AppFixture, openAppFixture } from '../../../test/harness/app/app-fixture.ts'
import { codePoint } from '../../../test/harness/code-point.ts'
import { type EmailEvent, EVENT_TYPES } from '../../events/event.ts'
import { Networks } from '../../lib/net/networks.ts'
import { makeFullReference } from '../../reports/return-path.ts'
import { createTenant } from '../../tenants/create-tenant.ts'
import { TENANT_PEOPLE_SCOPES } from '../../tenants/scope.ts'
import type { NewDkimKey } from '../v1/administration/domains/dkim-keys.wire.ts'
import type { CreatedKey } from '../v1/administration/keys.wire.ts'
import type { RotationResult } from '../v1/administration/maintenance/secrets.wire.ts'
import type { Removal } from '../v1/administration/removal/removals.wire.ts'
import { DOCUMENTS } from './openapi.ts'

const BATCHES = 1400
const REQUESTS_IN_BATCH = 10

type JsonSchema = Readonly<Record<string, unknown>>

interface Parameter {
  readonly name: string
  readonly in: 'query' | 'path'
  readonly schema: JsonSchema
}

interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly parameters: readonly Parameter[]
  /** Which key to use: none, any valid one, a tenant's or the operator's. `local`: refused over the network with any key. */
  readonly needs: 'nobody' | 'anybody' | 'tenant' | 'operator' | 'local'
  /** By status, then by media type. */
  readonly responses: ReadonlyMap<number, ReadonlyMap<string, ValidateFunction>>
  /** How it is printed in a counterexample. */
  [fc.toStringMethod](): string
}

interface GeneratedRequest {
  readonly operation: Operation
  readonly path: Readonly<Record<string, string>>
  readonly query: readonly (readonly [string, string])[]
  readonly key: 'acme' | 'rival' | 'operator' | 'revoked' | 'rubbish' | 'none'
  readonly headers: Readonly<Record<string, string>>
  readonly body: Body
}

interface Body {
  readonly content: string | Uint8Array
  readonly encoding: 'none' | 'gzip' | 'zstd' | 'lie' | 'unknown'
}

let fixture: AppFixture
let operations: readonly Operation[]
let revokedKey: string
/** With all scopes of people. */
const tenantKeys = { acme: '', rival: '' }
/** To be changed and revoked: the newest last. */
const spareKeyIds: string[] = []
/** Tokens from earlier answers, to be sent again wherever they fit or do not fit. */
const tokens: string[] = []
/** Selectors of the DKIM keys created last. */
const selectors: string[] = []
/** Secrets that were made by rotations; the first one signs the tokens of this test. */
const secretIds: string[] = []
/** Removals that were requested, the newest last. */
const removalIds: string[] = []
/** To be suspended: the others send requests. */
let spareTenantId: string
const answered = new Map<string, number>()

before(async () => {
  fixture = await openAppFixture({ trustedProxies: new Networks(['127.0.0.1']), tenantsAddDomains: true })
  for (const name of ['acme', 'rival'] as const) {
    tenantKeys[name] = (await fixture.createKey(fixture[name].tenant, TENANT_PEOPLE_SCOPES)).key
  }
  operations = await readOperations()
  const revoked = await fixture.createKey(fixture.acme.tenant)
  await fixture.storage.control.keys.revokeKey(revoked.id, fixture.nowMs)
  revokedKey = revoked.key
  const { keys } = fixture.storage.control
  spareTenantId = (await createTenant({ keys, clock: () => fixture.nowMs }, 'spare')).id
  for (let spare = 0; spare < 5; spare++) spareKeyIds.push((await fixture.createKey(fixture.acme.tenant)).id)
  await fixture.ingest(Array.from({ length: 300 }, (_, index) => sampleEvent(index)))
  for (const { name, value } of fixture.acme.domains[0].dnsRecords)
    fixture.dns.set(name, { kind: 'records', values: [value] })
})
after(() => fixture[Symbol.asyncDispose]())

test('whatever is sent, the response is one that the documents describe', async () => {
  const batch = fc.array(requestArbitrary(), { minLength: REQUESTS_IN_BATCH, maxLength: REQUESTS_IN_BATCH })
  await fc.assert(
    fc.asyncProperty(batch, async (requests) => {
      await Promise.all(requests.map(async (request) => assertPromised(request, await send(request))))
    }),
    { numRuns: BATCHES },
  )
  assert.equal(
    [...answered.values()].reduce((sum, count) => sum + count, 0),
    BATCHES * REQUESTS_IN_BATCH,
  )
})

test('the generated requests reached every operation with success, and each of its refusals', () => {
  // The requests are random: each of these answers is expected at least ten times.
  for (const operation of operations) {
    const { method, path, needs, responses } = operation
    const seen = (status: number) => answered.get(`${method} ${path} ${status}`) ?? 0
    const success = [200, 201, 202, 204, 302].find((status) => responses.has(status)) ?? 200
    // Few of the generated requests name a real connector, backups are refused over the network, removals need a name,
    // and no day is set aside here that could be accepted or repaired.
    const isRare = path === '/ingest/{connector}' || path.startsWith('/v1/admin/days/')
    if (!isRare && needs !== 'local' && !isUnconfirmed(operation))
      assert(seen(success) > 0, `${method} ${path} was never answered ${success}`)
    if (needs !== 'nobody') assert(seen(401) > 0, `${method} ${path} 401`)
    if (path.startsWith('/v1/') && needs !== 'nobody' && needs !== 'anybody') {
      assert(seen(403) > 0, `${method} ${path} 403`)
    }
    if (path.includes('{domain}')) assert(seen(400) > 20, `${method} ${path} 400`)
  }
})

async function readOperations(): Promise<readonly Operation[]> {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  const found: Operation[] = []
  for (const { name } of DOCUMENTS) {
    const document = (await fixture.get(`/openapi/${name}.json`, null)).json<OpenApi>()
    ajv.addSchema({ ...(closeObjects(document) as object), $id: name })
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        found.push({
          method: method.toUpperCase() as Operation['method'],
          path,
          parameters: operation.parameters ?? [],
          [fc.toStringMethod]: () => `${method} ${path}`,
          needs: operation.security ? 'nobody' : neededBy(path),
          responses: compileResponses(ajv, name, `/paths/${escapePointer(path)}/${method}`, operation),
        })
      }
    }
  }
  assert(found.length >= 29, String(found.length))
  return found
}

function neededBy(path: string): Operation['needs'] {
  if (['/v1/session', '/v1/stats/figures'].includes(path) || path.startsWith('/v1/views')) return 'anybody'
  if (path === '/v1/admin/backup') return 'local'
  return path.startsWith('/ingest/') || path.startsWith('/v1/admin/') ? 'operator' : 'tenant'
}

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>
}

interface OpenApiOperation {
  readonly parameters?: readonly Parameter[]
  readonly security?: readonly unknown[]
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>
}

function compileResponses(
  ajv: Ajv2020,
  document: string,
  pointer: string,
  { responses }: OpenApiOperation,
): Operation['responses'] {
  const byStatus = new Map<number, Map<string, ValidateFunction>>()
  for (const [status, { content = {} }] of Object.entries(responses)) {
    const byType = new Map<string, ValidateFunction>()
    for (const type of Object.keys(content)) {
      const $ref = `${document}#${pointer}/responses/${status}/content/${escapePointer(type)}/schema`
      byType.set(type, ajv.compile({ $ref }))
    }
    byStatus.set(Number(status), byType)
  }
  return byStatus
}

/** RFC 6901, then as a URI fragment. */
function escapePointer(text: string): string {
  return encodeURIComponent(text.replaceAll('~', '~0').replaceAll('/', '~1'))
}

/** The documents allow additional fields; this test allows only documented ones. */
function closeObjects(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closeObjects)
  if (typeof value !== 'object' || value === null) return value
  const closed = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, closeObjects(member)]))
  const isOpenObject =
    'properties' in value && 'type' in value && value.type === 'object' && !('additionalProperties' in value)
  return isOpenObject ? { ...closed, additionalProperties: false } : closed
}

// What is sent

/** One per line: texts that break parsers, SQL, JSON, URLs, numbers or objects, and letters whose lower case has another length. */
const HOSTILE = `
%
%00
%27
' OR 1=1 --
"
\\
..
../..
/
*
?
#
&
=
;
{{7*7}}
{"a":
[]
null
undefined
NaN
-0
-1
1e9
0x10
9007199254740993
__proto__
constructor
toString
💌
İ
ß
ſ`.split('\n')

const hostileText = fc.oneof(
  fc.string(),
  fc.string({ unit: 'grapheme', maxLength: 30 }),
  fc.string({ unit: codePoint, maxLength: 30 }),
  fc.constantFrom(...HOSTILE, '\u0000', '\u202e', 'x'.repeat(1025), 'x'.repeat(3000)),
)

const validDomain = fc.constantFrom(
  'acme.test',
  'ACME.test',
  'acme.test.',
  'mail.acme.test',
  'rival.test',
  'nowhere.test',
)

function pathValue(path: string, name: string): fc.Arbitrary<string> {
  const valid = validPathValue(path, name)
  assert(valid, `the path parameter {${name}} of ${path} has no values in this test: add some`)
  return fc.oneof({ arbitrary: valid, weight: 4 }, { arbitrary: hostileText, weight: 1 })
}

function validPathValue(path: string, name: string): fc.Arbitrary<string> | undefined {
  if (path.startsWith('/t/')) return fc.nat(3).map((index) => trackingToken(path, index))
  if (path.startsWith('/v1/views/')) return fc.constantFrom('Bounces', 'Ärger / 24 h', 'mine')
  if (path.includes('/messages/')) return fc.nat(320).map(messageId)
  // None of the keys that this test uses.
  if (path.startsWith('/v1/admin/secrets/')) return fc.nat(5).map((index) => secretIds[index] ?? 'no such secret')
  if (path.startsWith('/v1/admin/keys/')) return fc.nat(5).map((index) => spareKeyIds.at(-1 - index) ?? 'no such key')
  // Days without a file: nothing is accepted or repaired here.
  if (path.startsWith('/v1/admin/days/')) return fc.constantFrom('2020-01-01', 'no day')
  if (path.startsWith('/v1/admin/removals/')) return fc.nat(5).map((index) => removalIds.at(-1 - index) ?? 'none yet')
  if (/^\/v1\/admin\/tenants\/.*(?:suspend|resume)$/.test(path)) return fc.constantFrom(spareTenantId, 'no such tenant')
  // Those that the other requests need stay active.
  if (path.endsWith('/deactivate')) return fc.constantFrom('mail.rival.test', 'nowhere.test')
  if (path.startsWith('/v1/admin/tenants/')) return fc.constantFrom(fixture.rival.tenant.id, 'no such tenant')
  // Few domains, so that many requests name a domain that has the key.
  if (name === 'name' && path.includes('/keys')) return fc.constantFrom('acme.test', 'ACME.test', 'nowhere.test')
  // Some that are added, and can be removed.
  if (path === '/v1/domains/{name}') return fc.oneof(validDomain, ownDomain)
  if (name === 'selector') return fc.nat().map((index) => selectors[index % Math.max(1, selectors.length)] ?? 'current')
  const id = fc
    .constantFrom(0, 1, 2, 3)
    .map((index) => [...fixture.acme.domains, ...fixture.rival.domains][index]?.id ?? '')
  return { domain: validDomain, name: validDomain, id, connector: fc.constantFrom('events', 'native', 'kumomta') }[name]
}

/** Few: generating the key of each is slow. */
const ownDomain = fc.nat(3).map((number) => `own${number}.test`)

/** Made from the parameter's own schema. */
function validValue({ name, schema }: Parameter): fc.Arbitrary<string> {
  if (name === 'domain') return validDomain
  if (name === 'code') return fc.constantFrom('250', '4xx', '55x', '400-499')
  if (name === 'from' || name === 'to')
    return fc.nat(40).map((days) => new Date(fixture.nowMs - days * 86_400_000).toISOString())
  if (Array.isArray(schema['enum'])) return fc.constantFrom(...(schema['enum'] as string[]))
  if (schema['type'] === 'array') return validValue({ name, in: 'query', schema: schema['items'] as JsonSchema })
  if (schema['type'] === 'boolean') return fc.constantFrom('true', 'false')
  if (schema['type'] === 'integer') {
    const { minimum = 0, maximum = 2000 } = schema as { minimum?: number; maximum?: number }
    const nowSeconds = Math.floor(fixture.nowMs / 1000)
    const recent = name.endsWith('_timestamp')
      ? fc.integer({ min: nowSeconds - 2_000_000, max: nowSeconds + 10 })
      : fc.nat(1000)
    return fc.oneof(recent, fc.integer({ min: minimum, max: Math.max(minimum, maximum) })).map(String)
  }
  if (name === 'next_token' || name === 'cursor' || name === 'last_event_id')
    return fc.nat().map((index) => tokens[index % Math.max(1, tokens.length)] ?? 'no token yet')
  if (name === 'message_id') return fc.nat(320).map(messageId)
  if (name === 'orderBy') {
    return fc
      .tuple(fc.constantFrom('name', 'updatedAt', 'isVerified', 'dnsRecords'), fc.constantFrom('asc', 'desc', 'up'))
      .map(([field, direction]) => `{"${field}":"${direction}"}`)
  }
  return fc.constantFrom('person', 'EXAMPLE', 'acme', 'Letter 1', 'é', 'a', '@')
}

function queryArbitrary(parameters: readonly Parameter[]): fc.Arbitrary<[string, string][]> {
  const one = fc.oneof(
    ...parameters.map((parameter) =>
      fc
        .oneof({ arbitrary: validValue(parameter), weight: 6 }, { arbitrary: hostileText, weight: 1 })
        .map((value): [string, string] => [parameter.name, value]),
    ),
    fc.tuple(hostileText, hostileText),
  )
  return fc.oneof(
    { arbitrary: fc.uniqueArray(one, { maxLength: 4, selector: ([name]) => name }), weight: 8 },
    { arbitrary: fc.array(one, { maxLength: 6 }), weight: 1 },
  )
}

const eventArbitrary: fc.Arbitrary<unknown> = fc.oneof(
  fc.nat(100_000).map(sampleEvent),
  fc.record({
    id: fc.string(),
    timestamp: fc.integer(),
    type: fc.constantFrom(...EVENT_TYPES),
    domain_name: validDomain,
    recipient: hostileText,
  }),
  fc.json().map((text) => JSON.parse(text) as unknown),
)

const bodyArbitrary: fc.Arbitrary<Body> = fc.record({
  content: fc.oneof(
    eventArbitrary.map((event) => JSON.stringify(event)),
    fc.array(eventArbitrary, { maxLength: 4 }).map((events) => JSON.stringify(events)),
    fc.array(eventArbitrary, { maxLength: 4 }).map((events) => events.map((event) => JSON.stringify(event)).join('\n')),
    hostileText,
    fc.uint8Array(),
  ),
  encoding: fc.constantFrom('none', 'none', 'none', 'gzip', 'zstd', 'lie', 'unknown'),
})

const headersArbitrary = fc.record(
  {
    'content-type': fc.constantFrom('application/json', 'application/x-ndjson', 'text/html', 'rubbish', ';', 'a/b; c'),
    'x-request-id': fc.constantFrom('abc', 'x'.repeat(100), '{}'),
    accept: fc.constantFrom('*/*', 'text/html', 'rubbish'),
    'accept-version': fc.constantFrom('1', 'rubbish'),
    host: fc.constantFrom('localhost', 'logs.example:80', '[::1]'),
    'sec-fetch-site': fc.constantFrom('same-origin', 'same-origin', 'same-origin', 'cross-site'),
    // Sign-in attempts are limited by address.
    'x-forwarded-for': fc.ipV4(),
  },
  { requiredKeys: ['x-forwarded-for'] },
)

/** Operations that replay all rejected records or generate a key are slow: fewer requests with the right key are enough. */
function isSlow({ method, path }: Operation): boolean {
  return (
    method === 'POST' &&
    [
      '/v1/admin/quarantine/replay',
      '/v1/admin/domains',
      '/v1/domains',
      '/v1/admin/recount',
      '/v1/admin/secrets/rotate',
      '/v1/admin/erasures',
      '/v1/admin/days/{day}/repair',
    ].includes(path)
  )
}

/** More for those that need the name of something that other requests have created. */
function weightOf(operation: Operation): number {
  if (/\{selector\}|secrets\/\{id\}/.test(operation.path)) return 32
  return isSlow(operation) ? 4 : 16
}

/** Removes what the other requests need: the name to confirm it is never sent. */
function isUnconfirmed({ method, parameters }: Operation): boolean {
  return method === 'DELETE' && parameters.some(({ name }) => name === 'confirm')
}

function requestArbitrary(): fc.Arbitrary<GeneratedRequest> {
  const weighted = operations.flatMap((operation) => {
    const right = operation.needs === 'operator' ? 'operator' : 'acme'
    const others = fc.constantFrom<GeneratedRequest['key']>('rival', 'operator', 'revoked', 'rubbish', 'none')
    return [
      { arbitrary: fc.tuple(fc.constant(operation), fc.constant(right)), weight: weightOf(operation) },
      { arbitrary: fc.tuple(fc.constant(operation), others), weight: 20 },
    ]
  })
  return fc.oneof(...weighted).chain(([operation, key]) => {
    const pathNames = operation.parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)
    return fc.record({
      operation: fc.constant(operation),
      path: fc.record(Object.fromEntries(pathNames.map((name) => [name, pathValue(operation.path, name)]))),
      query: queryArbitrary(operation.parameters.filter((parameter) => parameter.in === 'query')),
      key: fc.constant(key),
      headers: headersArbitrary,
      body: fc.oneof({ arbitrary: validBody(operation), weight: 4 }, { arbitrary: bodyArbitrary, weight: 1 }),
    }) as fc.Arbitrary<GeneratedRequest>
  })
}

/** The body for an operation; those without a body ignore it. */
function validBody({ path }: Operation): fc.Arbitrary<Body> {
  const fields = bodyFields(path)
  if (!fields) return bodyArbitrary
  return fields.map((value) => ({ content: JSON.stringify(value), encoding: 'none' }))
}

const mostly = <T>(valid: fc.Arbitrary<T>, hostile: fc.Arbitrary<T>) =>
  fc.oneof({ arbitrary: valid, weight: 8 }, { arbitrary: hostile, weight: 1 })

const keyLimits = {
  name: mostly(fc.constantFrom('mailer', ''), hostileText),
  expires: mostly<string | null>(fc.constantFrom('90d', '2027-01-31T12:00:00Z', null), hostileText),
  networks: mostly(fc.array(fc.oneof(fc.ipV4(), fc.ipV6())), fc.array(hostileText)),
}

/** Of the tenant that gets the new domains, and large enough for most of them. */
const quotas = fc.record(
  {
    domains: fc.oneof(fc.integer({ min: 10, max: 100 }), fc.constant(null), fc.integer()),
    keys: fc.oneof(fc.nat(), fc.constant(null)),
    eventsPerDay: fc.oneof(fc.nat(), fc.constantFrom(null, 'rubbish')),
  },
  { requiredKeys: [] },
)

function bodyFields(path: string): fc.Arbitrary<object> | undefined {
  const { acme, operatorKey } = fixture
  switch (path) {
    case '/v1/session':
      return fc.record({ key: fc.constantFrom(acme.key, operatorKey, revokedKey, 'rubbish') })
    case '/v1/views/{name}':
      return fc.record({ query: mostly(fc.constantFrom('type=Bounce&last=24h', ''), hostileText) })
    case '/v1/admin/tenants':
      return fc.record(
        { name: fc.oneof(fc.uuid(), fc.constant('acme'), hostileText), quotas },
        { requiredKeys: ['name'] },
      )
    case '/v1/admin/tenants/{id}':
      return fc.record({ quotas, retentionDays: fc.constantFrom(80, null, 0, 'rubbish') }, { requiredKeys: [] })
    case '/v1/admin/erasures':
      return fc.record({ address: mostly(fc.constantFrom('nobody@example.org', 'ANNA@example.org'), hostileText) })
    case '/v1/admin/keys':
      return fc.record(
        {
          tenant: fc.constantFrom('acme', 'nobody'),
          scopes: fc.subarray(['logs', 'domains', 'admin']),
          ...keyLimits,
        },
        { requiredKeys: ['tenant', 'scopes'] },
      )
    case '/v1/admin/keys/{id}':
      return fc.record(keyLimits, { requiredKeys: [] })
    case '/v1/admin/retention/run':
      return fc.record({ confirmClock: fc.boolean() }, { requiredKeys: [] })
    case '/v1/admin/domains/{name}/keys':
      return fc.record({ algorithm: fc.constantFrom('ed25519', 'ed25519', 'ed25519', 'rubbish') })
    case '/v1/admin/return-paths':
      return fc.record(
        { domain: validDomain, messageId: hostileText, recipient: hostileText },
        { requiredKeys: ['domain'] },
      )
    case '/v1/admin/return-paths/verify':
      return fc.record({
        text: fc.oneof(fc.nat(320).map(signedReference), hostileText),
        recipient: fc.constant('person@example.net'),
      })
    case '/v1/domains':
      return fc.record({ name: ownDomain })
    case '/v1/admin/domains':
      return fc.record(
        {
          // Few: generating the key of each is slow.
          name: fc.nat(40).map((number) => `new${number}.test`),
          tenant: fc.constantFrom('rival', 'nobody'),
          active: fc.boolean(),
        },
        { requiredKeys: ['name', 'tenant'] },
      )
    default:
      return undefined
  }
}

function trackingToken(path: string, index: number): string {
  const hit = { time: 0, domain: 'acme.test', messageId: messageId(index), recipient: 'person@example.net' }
  return fixture.trackingTokens.sign(
    path.startsWith('/t/o/') ? { ...hit, kind: 'open' } : { ...hit, kind: 'click', target: 'https://example.net/' },
  )
}

function signedReference(index: number): string {
  const subject = { domain: 'acme.test', messageId: messageId(index), recipient: 'person@example.net' }
  return makeFullReference(fixture.references, subject)
}

function messageId(index: number): string {
  return `message-${index}`
}

function sampleEvent(index: number): EmailEvent {
  const type = EVENT_TYPES[index % EVENT_TYPES.length] ?? 'Delivery'
  return {
    ...fixture.event(),
    id: messageId(index),
    type,
    timestamp: Math.floor(fixture.nowMs / 1000) - (index % 977) * 1000,
    domain_name: ['acme.test', 'mail.acme.test', 'rival.test'][index % 3] ?? '',
    subject: `Letter ${index} é 💌 100%_"'\\`,
    ...(index % 2 && { campaign: null, num_attempts: index, size: index, service_message_id: `s${index}` }),
    ...(index % 5 && { response_code: 250 + index, peer_name: 'mx.example.net', tls_cipher: 'AES' }),
  }
}

// What comes back

function send({ operation, path, query, key, headers, body }: GeneratedRequest): Promise<LightMyRequestResponse> {
  const filled = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeText(path[name] ?? ''))
  const search = query.map(([name, value]) => `${encodeText(name)}=${encodeText(value)}`).join('&')
  const keys = {
    ...tenantKeys,
    operator: fixture.operatorKey,
    revoked: revokedKey,
    rubbish: 'rubbish',
  }
  const authorization = key === 'none' ? {} : { authorization: keys[key] }
  const options: InjectOptions = { method: operation.method, url: search ? `${filled}?${search}` : filled }
  if (operation.path.endsWith('/events/stream'))
    return beginStream({ ...options, headers: { ...headers, ...authorization } })
  if (operation.method === 'GET') return fixture.app.inject({ ...options, headers: { ...headers, ...authorization } })
  const { payload, encoding } = encodeBody(body)
  return fixture.app.inject({ ...options, payload, headers: { ...headers, ...authorization, ...encoding } })
}

/** A stream does not end, so only its beginning is checked. */
async function beginStream(options: InjectOptions): Promise<LightMyRequestResponse> {
  const answer = await fixture.app.inject({ ...options, payloadAsStream: true })
  const stream = answer.stream()
  let body = ''
  for await (const chunk of stream) {
    body += String(chunk)
    if (answer.statusCode === 200) break
  }
  stream.destroy()
  answer.raw.res.destroy()
  const { statusCode, headers } = answer
  return { statusCode, headers, body, json: () => JSON.parse(body) as unknown } as unknown as LightMyRequestResponse
}

/** Lone surrogates have no UTF-8: they are sent as the bytes that a careless client would produce. */
function encodeText(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}

function encodeBody({ content, encoding }: Body): { payload: Buffer; encoding: Record<string, string> } {
  const plain = Buffer.from(content)
  switch (encoding) {
    case 'gzip':
      return { payload: gzipSync(plain), encoding: { 'content-encoding': 'gzip' } }
    case 'zstd':
      return { payload: zstdCompressSync(plain), encoding: { 'content-encoding': 'zstd' } }
    case 'lie':
      return { payload: plain, encoding: { 'content-encoding': 'gzip' } }
    case 'unknown':
      return { payload: plain, encoding: { 'content-encoding': 'br' } }
    case 'none':
      return { payload: plain, encoding: {} }
  }
}

function assertPromised(request: GeneratedRequest, answer: LightMyRequestResponse): void {
  const { operation } = request
  const { statusCode: status } = answer
  const name = `${operation.method} ${operation.path} ${status}`
  answered.set(name, (answered.get(name) ?? 0) + 1)
  assert(status < 500, `${name}: ${answer.body}`)
  // A path that ends with `..` is the one above it: `/webhooks/..` is `/`.
  if (Object.values(request.path).includes('..')) return
  const documented = operation.responses.get(status)
  assert(documented, `${name} is not documented: ${answer.body}`)
  assertRightKey(request, answer)
  if (status === 204) {
    assert.equal(answer.body, '')
    return
  }
  // A redirect without a body.
  if (status === 302 && operation.path === '/t/c/{token}') return
  const type = String(answer.headers['content-type']).split(';')[0] ?? ''
  const validate = documented.get(type)
  assert(validate, `${name} is not documented as ${type}`)
  const body: unknown = type === 'application/json' ? answer.json() : answer.body
  assert(validate(body), `${name}: ${JSON.stringify(validate.errors)} in ${answer.body}`)
  // An invalid link gets a page for people.
  if (status >= 400 && type === 'application/json') assertErrorBody(status, body)
  if (status === 200) assertOwnData(request, body)
  if (status === 201 && operation.path === '/v1/admin/domains/{name}/keys') publish(body as NewDkimKey)
  if (status === 200 && operation.path === '/v1/admin/secrets/rotate') {
    secretIds.unshift((JSON.parse(answer.body.trim().split('\n').at(-1) ?? '') as RotationResult).id)
    secretIds.splice(5)
  }
  if (status === 202) removalIds.push((body as Removal).id)
  if (status === 201 && operation.path === '/v1/admin/keys') spareKeyIds.push((body as CreatedKey).id)
}

/** A check sees the record of every new key, so that some can be promoted. */
function publish({ keys, selector }: NewDkimKey): void {
  selectors.unshift(selector)
  selectors.splice(2)
  for (const { dnsRecord } of keys) {
    if (dnsRecord) fixture.dns.set(dnsRecord.name, { kind: 'records', values: [dnsRecord.value] })
  }
}

function assertErrorBody(status: number, body: unknown): void {
  assert.deepEqual(Object.keys(body as object), ['error', 'message'])
  assert.equal((body as { error: number }).error, status)
}

/** 401 (under /v1 also 403) exactly for callers without permission, unless the generated path is another route or none. */
function assertRightKey(
  { operation: { needs, path, method }, query, key, headers }: GeneratedRequest,
  { statusCode, body }: LightMyRequestResponse,
): void {
  // To sign in, the key is in the body.
  if (path === '/v1/session' && method === 'POST') return
  const isTenant = key === 'acme' || key === 'rival'
  const isValid = isTenant || key === 'operator'
  const isOperator = key === 'operator'
  const isAllowed = { nobody: true, anybody: isValid, tenant: isTenant, operator: isOperator, local: false }[needs]
  // Where a message was sent from is not shown to tenants here: they cannot ask for it either.
  const asksForOrigins = query.some((pair) => pair.some((text) => /^(?:not_)?sending_/.test(text)))
  if (isAllowed && isTenant && asksForOrigins && statusCode === 403) return
  if (isAllowed) {
    assert(![401, 403].includes(statusCode), `${statusCode} ${body} ${JSON.stringify(headers)}`)
    return
  }
  const expected = path.startsWith('/v1/') && isValid ? 403 : 401
  assert([expected, 404].includes(statusCode) || body.includes('The URL is not valid'), `${key}: ${statusCode} ${body}`)
}

function assertOwnData({ key }: GeneratedRequest, body: unknown): void {
  const page = body as { events?: EmailEvent[]; count?: number; next_token?: string; next?: string }
  const { events, count, next_token: token = page.next } = page
  if (!Array.isArray(events)) return
  if (count !== undefined) assert.equal(count, events.length)
  // The operator may read the events of all tenants.
  const isOwn = (event: EmailEvent) => key === 'operator' || event.domain_name.endsWith(`${key}.test`)
  for (const event of events) assert(isOwn(event), `${key} was shown ${event.domain_name}`)
  if (typeof token === 'string' && tokens.length < 200) tokens.push(token)
}
