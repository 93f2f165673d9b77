import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Site } from '../site/site.ts'
import type { OpenapiDocument } from './openapi-document.ts'
import { listReferenceSections, renderOverview, renderPart } from './reference-pages.ts'

const SITE: Site = { groups: [], examples: { 'GET /a': '<pre>curl a</pre>' } } as unknown as Site

function makeDocument(schemas?: object): OpenapiDocument {
  const parameters = [
    { name: 'limit', in: 'query', description: 'The `page` size.' },
    { name: 'bare', in: 'query' },
  ]
  return {
    info: { title: 'Envelog: event log', description: 'All events.' },
    paths: { '/a': { get: { summary: 'Get a', description: 'In words.', parameters, responses: {} } } },
    ...(schemas && { components: { schemas } }),
  } as unknown as OpenapiDocument
}

test('the page of a part has its title, its description, its endpoints with examples, and its schemas if it has any', async () => {
  const thing = { type: 'object', description: 'A thing.', properties: { x: { type: 'string' } } }
  const page = await renderPart(SITE, {
    name: 'logs',
    document: makeDocument({ Thing: thing, Text: { type: 'string' } }),
  })
  assert.match(page, /<h1>Event log<\/h1>\n<p>All events\. <a href="\/openapi\/logs\.json">/)
  assert.match(page, /<title>Event log: API reference · Envelog<\/title>/)
  assert.match(page, /curl a/)
  assert.match(
    page,
    /<h2 id="schemas">Schemas<\/h2>\n<section class="schema"><h3 id="schema-Thing">Thing<\/h3>\n<p>A thing\.<\/p>/,
  )
  assert.match(page, /<h3 id="schema-Text">Text<\/h3>\n<p><\/p>\n<p>string<\/p>/)
  assert.match(page, /<a href="#get-a">.*<a href="#schemas">Schemas<\/a>/s)
  for (const document of [makeDocument(), makeDocument({})]) {
    const bare = await renderPart(SITE, { name: 'logs', document })
    assert.doesNotMatch(bare, /Schemas/)
  }
  assert.match(await renderPart(SITE, { name: 'logs', document: makeDocument({ One: thing }) }), /<h2 id="schemas">/)
})

test('the overview lists every endpoint of every part, and the search finds its words', () => {
  const parts = [{ name: 'logs', document: makeDocument() }]
  const page = renderOverview(SITE, parts)
  assert.match(page, /<a href="\/docs\/reference\/logs">Event log<\/a><\/h2>\n<p>All events\.<\/p>/)
  assert.match(page, /<a href="\/docs\/reference\/logs#get-a">.*<span>Get a<\/span>/)
  assert.deepEqual(listReferenceSections(parts), [
    {
      page: 'API reference',
      heading: 'GET /a',
      url: '/docs/reference/logs#get-a',
      text: 'Get a In words. limit: The page size. bare: ',
    },
  ])
})
