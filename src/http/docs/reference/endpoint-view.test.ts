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

test('what an endpoint does not have is left out', () => {
  const html = endpointHtml(makeEndpoint({ responses: { 204: { description: 'Done.' } } }), undefined)
  assert.doesNotMatch(html, /Errors|Example|Request body/)
  assert.match(endpointHtml(makeEndpoint(), '<pre>curl</pre>'), /<h3>Example<\/h3>\n<pre>curl<\/pre>/)
})
