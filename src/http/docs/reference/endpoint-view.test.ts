import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endpointHtml, endpointId, endpointName } from './endpoint-view.ts'
import type { Endpoint } from './openapi-document.ts'

function makeEndpoint(operation: Endpoint['operation'] = {}): Endpoint {
  return { method: 'GET', path: '/v1/things/{id}', operation } as Endpoint
}

test('an endpoint is named by method and path, which may break at its slashes', () => {
  assert.equal(endpointId(makeEndpoint()), 'get-v1-things-id')
  assert.match(
    endpointName(makeEndpoint()),
    /method-get">GET<\/span> <code>\/<wbr>v1\/<wbr>things\/<wbr>\{id\}<\/code>/,
  )
})

test('answers below 400 are shown each, those from 400 on as errors', () => {
  const responses = {
    200: { description: 'The thing.' },
    399: { description: 'Elsewhere.' },
    400: { description: 'Bad.' },
  }
  const html = endpointHtml(makeEndpoint({ responses }), undefined)
  const [shown = '', errors = ''] = html.split('<summary>Errors')
  for (const word of ['The thing.', 'Elsewhere.']) assert.ok(shown.includes(word), word)
  assert.ok(errors.includes('Bad.') && !shown.includes('Bad.'), html)
})

test('parameters are listed by their place, bodies by their type, and headers below the answer', () => {
  const item = { type: 'object', properties: { x: { type: 'string' } } }
  const content = { 'application/json': { schema: { type: 'array', items: item } } }
  const html = endpointHtml(
    makeEndpoint({
      description: 'In words.',
      parameters: [
        { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
        { name: 'limit', in: 'query', schema: { type: 'integer' }, description: 'Page size.' },
      ],
      requestBody: { content },
      responses: { 200: { description: 'Fine.', content, headers: { 'X-One': { description: 'A header.' } } } },
    }),
    undefined,
  )
  assert.deepEqual(
    [...html.matchAll(/<h3>(.*?)<\/h3>/g)].map(([, title]) => title),
    ['Path', 'Query', 'Request body', 'Response 200'],
  )
  assert.match(html, /<p>In words\.<\/p>/)
  assert.match(html, /<code>id<\/code> <span class="required">/)
  assert.doesNotMatch(html, /<code>limit<\/code> <span class="required">/)
  assert.match(html, /Page size\./)
  assert.match(html, /<summary>Headers<\/summary><ul><li><code>X-One<\/code>: A header\.<\/li><\/ul>/)
  // In the body and in the answer: the fields of what is in the list.
  assert.equal(html.split('<code>application/json</code>: array of object').length, 3)
  assert.equal(html.split('<td><code>x</code></td>').length, 3)
})

test('what an endpoint does not have is left out', () => {
  const html = endpointHtml(makeEndpoint({ responses: { 204: { description: 'Done.' } } }), undefined)
  assert.doesNotMatch(html, /Errors|Example|Request body|<table|Headers|<p><\/p>/)
  assert.match(endpointHtml(makeEndpoint(), '<pre>curl</pre>'), /<h3>Example<\/h3>\n<pre>curl<\/pre>/)
})
