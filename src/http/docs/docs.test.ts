import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type AppFixture, openAppFixture } from '../../../test/harness/app/app-fixture.ts'
import { CONNECTOR_NAMES } from '../../connectors/registry.ts'
import { listRoutes } from '../access/access.ts'
import { DOCUMENTS } from './openapi.ts'

let fixture: AppFixture
before(async () => {
  fixture = await openAppFixture()
})
after(() => fixture[Symbol.asyncDispose]())

interface Document {
  openapi: string
  info: { title: string; version: string }
  paths: Record<
    string,
    Record<
      string,
      {
        parameters?: { name: string; in: string; description?: string; schema?: { enum?: string[] } }[]
        responses: object
      }
    >
  >
  components: {
    schemas: Record<string, { properties?: Record<string, { description?: string }> }>
    securitySchemes: object
  }
  security: readonly object[]
}

async function getDocument(name: string): Promise<Document> {
  return (await fixture.get(`/openapi/${name}.json`, null)).json()
}

describe('the OpenAPI documents', () => {
  test('are listed, and each is served at the listed URL', async () => {
    const { documents } = (await fixture.get('/openapi/index.json', null)).json<{
      documents: { name: string; url: string; title: string }[]
    }>()
    assert.deepEqual(
      documents.map(({ name }) => name),
      DOCUMENTS.map(({ name }) => name),
    )
    for (const { url, title } of documents) {
      const answer = await fixture.get(url, null)
      assert.equal(answer.statusCode, 200)
      const document = answer.json<Document>()
      assert.match(document.openapi, /^3\.1\./)
      assert.equal(document.info.title, title)
      const schemes = document.security.flatMap((scheme) => Object.keys(scheme))
      assert.deepEqual(schemes, Object.keys(document.components.securitySchemes))
      assert.equal(schemes.length, url.endsWith('/v1.json') ? 2 : 1, 'sessions are for /v1 alone')
    }
    assert.equal((await getDocument('logs')).info.version, '1.0.0')
  })

  test('contain exactly the paths of their surface and the schemas used by these', async () => {
    const expected: [string, string[], string[]][] = [
      [
        'logs',
        ['/logs/{domain}', '/webhooks/{domain}'],
        ['EmailLogEvent', 'EmailLogPage', 'Error', 'RecentEmailLog', 'RecentEmailLogEvent'],
      ],
      [
        'platform',
        ['/api/v2/domain', '/api/v2/domain/{id}/verify'],
        ['DnsRecord', 'Domain', 'DomainList', 'Error', 'VerificationError', 'VerificationResult'],
      ],
      ['stats', ['/domain/stats'], ['DomainStatistics', 'Error', 'TenantStatistics']],
      [
        'operations',
        ['/healthz', '/ingest/events', '/ingest/report', '/ingest/{connector}', '/metrics', '/readyz'],
        ['EmailLogEvent', 'Error', 'Health', 'IngestResult'],
      ],
      ['tracking', ['/t/c/{token}', '/t/o/{token}'], ['Error']],
    ]
    for (const [name, paths, schemas] of expected) {
      const document = await getDocument(name)
      assert.deepEqual(Object.keys(document.paths).toSorted(), paths)
      assert.deepEqual(Object.keys(document.components.schemas).toSorted(), schemas)
      for (const schema of schemas) assert(JSON.stringify(document).includes(`#/components/schemas/${schema}"`), schema)
    }
  })

  test('describe every route except documents, pages and paths that lack their domain', async () => {
    const documented = new Set<string>()
    for (const { name } of DOCUMENTS) {
      for (const path of Object.keys((await getDocument(name)).paths))
        documented.add(path.replaceAll(/\{(\w+)\}/g, ':$1'))
    }
    const left = listRoutes(fixture.app).filter(
      ({ url, config }) => !documented.has(url) && !['docs', 'console'].includes(config?.surface ?? ''),
    )
    assert.deepEqual([...new Set(left.map(({ url }) => url))].toSorted(), [
      '/logs',
      '/logs/',
      '/webhooks',
      '/webhooks/',
    ])
  })

  test('have a description for every parameter and field', async () => {
    for (const name of ['logs', 'platform', 'stats', 'operations', 'tracking']) {
      const { paths, components } = await getDocument(name)
      for (const [path, operations] of Object.entries(paths)) {
        for (const { parameters = [] } of Object.values(operations)) {
          for (const { name: parameter, description } of parameters) assert(description, `${path} ${parameter}`)
        }
      }
      for (const [schema, { properties = {} }] of Object.entries(components.schemas)) {
        const silent = Object.entries(properties).filter(([, field]) => !field.description)
        // `counts` and `domains` have only documented fields.
        assert.deepEqual(
          silent.map(([field]) => field).filter((field) => !['counts', 'domains'].includes(field)),
          [],
          schema,
        )
      }
    }
  })

  test('list the connectors that accept records over HTTP', async () => {
    const operation = (await getDocument('operations')).paths['/ingest/{connector}']?.['post']
    const names = operation?.parameters?.find(({ name }) => name === 'connector')?.schema?.enum
    assert.deepEqual(
      names,
      CONNECTOR_NAMES.filter((name) => name !== 'native'),
    )
  })

  test('list the eleven parameters of the log listing', async () => {
    const operation = (await getDocument('logs')).paths['/webhooks/{domain}']?.['get']
    const names = operation?.parameters?.filter((parameter) => parameter.in === 'query').map(({ name }) => name)
    assert.deepEqual(names?.toSorted(), [
      'end_timestamp',
      'from',
      'limit',
      'message_id',
      'next_token',
      'recipient',
      'response_code',
      'sender',
      'start_timestamp',
      'subject',
      'type',
    ])
  })
})
