import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { listFollowing, refusals, withIncompleteHeader, withLimitHeaders } from './refusals.ts'

type Declared = Parameters<typeof listFollowing>[0]

const TENANT_READ: Declared = { method: 'GET', surface: 'logs', access: { tenant: 'logs' } }

function following(changes: Partial<Declared>): string {
  return [...listFollowing({ ...TENANT_READ, ...changes })].join(' ')
}

describe('the errors that follow from a declaration', () => {
  test('of who may call it', () => {
    const v1 = { surface: 'v1' } as const
    assert.equal(following({ ...v1, access: 'public' }), '')
    assert.equal(following({ ...v1, access: { operator: 'read' } }), 'unauthenticated forbidden cross_site')
    assert.equal(
      following({ ...v1, access: { tenant: 'logs' } }),
      'unauthenticated tenant_suspended too_many_requests forbidden cross_site',
    )
    assert.equal(following({ ...v1, access: 'key' }), 'unauthenticated tenant_suspended too_many_requests')
    assert.equal(
      following({ ...v1, access: 'key', method: 'DELETE' }),
      'unauthenticated tenant_suspended cross_site payload_too_large',
    )
    assert.equal(
      following({ surface: 'operations', method: 'POST', access: { tenant: 'ingest', operator: 'ingest' } }),
      'unauthenticated tenant_suspended too_many_requests missing_scope payload_too_large',
    )
  })

  test('of what it takes', () => {
    const open = { surface: 'tracking', access: 'public' } as const
    assert.equal(following({ ...open, query: {} }), 'invalid_request')
    assert.equal(following({ ...open, body: {} }), 'invalid_payload unsupported_encoding')
    assert.equal(following({ ...open, rawBody: {} }), 'invalid_payload unsupported_encoding')
    assert.equal(following({ ...open, params: {} }), '')
    assert.match(following({ surface: 'v1', params: {} }), /cross_site not_found$/)
  })

  test('of parts that can be bound to a host name', () => {
    for (const surface of ['logs', 'stats', 'platform'] as const)
      assert.equal(following({ surface, access: 'public' }), 'not_found')
    for (const surface of ['operations', 'docs', 'console'] as const)
      assert.equal(following({ surface, access: 'public' }), '')
  })
})

test('there is one response per status, with a sentence for each cause and Retry-After where one has it', () => {
  const documented = refusals('unauthenticated', 'missing_scope', 'overloaded', 'not_found')
  assert.deepEqual(Object.keys(documented), ['400', '401', '404', '408', '417', '431', '500', '503'])
  assert.match(documented['401']?.description ?? '', /does not contain a valid API key\. .*lacks the scope/)
  const withRetry = Object.entries(documented).filter(([, response]) => 'headers' in response)
  assert.deepEqual(
    withRetry.map(([status]) => status),
    ['503'],
  )
})

test('the headers of a rate limit are documented for answers and for the refusal, if the route counts for one', () => {
  const documented = (declared: Declared) =>
    Object.entries(withLimitHeaders(declared, { 200: {}, 399: {}, 400: {}, 429: {} })).flatMap(
      ([status, { headers }]) => (headers === undefined ? [] : [[status, ...Object.keys(headers)].join(' ')]),
    )
  const headers = 'RateLimit-Policy RateLimit'
  assert.deepEqual(documented(TENANT_READ), [`200 ${headers}`, `399 ${headers}`, `429 ${headers}`])
  assert.deepEqual(documented({ ...TENANT_READ, access: { operator: 'read' } }), [])
})

test('the header of an incomplete answer is documented for reads of the log, and only for those', () => {
  const answer = { headers: { 'X-Other': {} } }
  assert.equal(withIncompleteHeader(['overloaded'], answer), answer)
  const headers = withIncompleteHeader(['too_many_reads'], answer).headers ?? {}
  assert.deepEqual(Object.keys(headers), ['Envelog-Incomplete', 'X-Other'])
})
