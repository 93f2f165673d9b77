import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type AppFixture, openAppFixture } from '../../../test/harness/app/app-fixture.ts'
import type { ConsoleFiles } from '../console/console-files.ts'
import { DOCUMENTS } from './openapi.ts'
import { listEndpoints, type OpenapiDocument } from './reference/openapi-document.ts'
import type { SearchSection, Site } from './site/site.ts'

const SITE: Site = {
  groups: [{ title: 'Start', links: [{ title: 'Overview', url: '/docs/guide' }] }],
  script: '/docs/guide/assets/main-12345678.js',
  style: '/docs/guide/assets/style-12345678.css',
  examples: { 'GET /webhooks/{domain}': '<pre><code>curl …</code></pre>' },
}
const files: ConsoleFiles = new Map([
  [
    'guide/site.json',
    {
      contentType: 'application/json',
      identity: Buffer.from(JSON.stringify(SITE)),
      encoded: new Map(),
      isImmutable: false,
    },
  ],
])

let fixture: AppFixture
before(async () => {
  fixture = await openAppFixture({ console: files })
})
after(() => fixture[Symbol.asyncDispose]())

const getText = async (path: string) => {
  const answer = await fixture.get(path, null)
  assert.equal(answer.statusCode, 200, path)
  return answer.body
}
const escaped = (path: string) => path.replaceAll('/', '/<wbr>')

for (const { name } of DOCUMENTS) {
  test(`the page of ${name} has every operation with its parameters, fields, statuses and schemas`, async () => {
    const document = JSON.parse(await getText(`/openapi/${name}.json`)) as OpenapiDocument
    const page = await getText(`/docs/reference/${name}`)
    const sections = page.split('<section class="endpoint"').slice(1)
    const endpoints = listEndpoints(document)
    assert.equal(sections.length, endpoints.length)
    for (const [index, { method, path, operation }] of endpoints.entries()) {
      const section = sections[index] ?? ''
      assert.ok(section.includes(`>${method}</span> <code>${escaped(path)}</code>`), `${method} ${path}`)
      for (const parameter of operation.parameters ?? [])
        assert.ok(section.includes(`<code>${parameter.name}</code>`), `${path} ${parameter.name}`)
      for (const status of Object.keys(operation.responses ?? {}))
        assert.ok(section.includes(status), `${path} ${status}`)
      for (const { schema } of Object.values(operation.requestBody?.content ?? {})) {
        for (const field of Object.keys(schema?.properties ?? {}))
          assert.ok(section.includes(`<code>${field}</code>`), field)
      }
    }
    for (const [schema, { properties = {} }] of Object.entries(document.components?.schemas ?? {})) {
      const [, table = ''] = page.split(`<h3 id="schema-${schema}">`)
      for (const field of Object.keys(properties))
        assert.ok(table.includes(`<code>${field}</code>`), `${schema} ${field}`)
    }
  })

  test(`the page of ${name} has no dead anchor and no id twice`, async () => {
    const page = await getText(`/docs/reference/${name}`)
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
    assert.equal(new Set(ids).size, ids.length)
    for (const [, id] of page.matchAll(/href="#([^"]+)"/g)) assert.ok(ids.includes(id), id)
  })
}

test('the first page and the search name every operation, and link to its section', async () => {
  const overview = await getText('/docs')
  const sections = JSON.parse(await getText('/docs/reference/search.json')) as readonly SearchSection[]
  let count = 0
  for (const { name } of DOCUMENTS) {
    const document = JSON.parse(await getText(`/openapi/${name}.json`)) as OpenapiDocument
    const page = await getText(`/docs/reference/${name}`)
    for (const { method, path } of listEndpoints(document)) {
      const found = sections.find(({ heading }) => heading === `${method} ${path}`)
      assert.ok(found, `${method} ${path}`)
      assert.ok(overview.includes(`<a href="${found.url}">`), found.url)
      assert.ok(page.includes(`id="${found.url.split('#')[1]}"`), found.url)
      count++
    }
  }
  assert.equal(sections.length, count)
})

test('an endpoint has its example, and the page the navigation of the guide', async () => {
  const page = await getText('/docs/reference/logs')
  assert.match(page, /<h3>Example<\/h3>\n<pre><code>curl …/)
  assert.match(page, /<a href="\/docs\/guide">Overview<\/a>/)
})

test('the pages allow only scripts and styles of this server, none of them inline', async () => {
  for (const url of ['/docs', '/docs/', '/docs/reference/v1']) {
    const { headers, body } = await fixture.get(url, null)
    const policy = String(headers['content-security-policy'])
    assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self'/)
    assert.doesNotMatch(policy, /unsafe|data:|https?:|\*/)
    assert.doesNotMatch(body, /<script(?! (?:type="module" )?src=)|<style|\sstyle=|\son\w+=|(?:src|href)="https?:/)
    assert.equal(headers['cache-control'], 'no-cache')
  }
})

test('fields have the names of this installation', async () => {
  await using branded = await openAppFixture({ serviceMessageIdField: 'acme_message_id' })
  const { body } = await branded.get('/docs/reference/logs', null)
  assert.match(body, /<code>acme_message_id<\/code>/)
  assert.doesNotMatch(body, /service_message_id/)
})

test('without a build the reference is a plain page', async () => {
  await using bare = await openAppFixture()
  const { statusCode, body } = await bare.get('/docs', null)
  assert.equal(statusCode, 200)
  assert.doesNotMatch(body, /<script|stylesheet/)
  assert.match(body, /API reference/)
})
