import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { compare, type Line, parseLines } from '../scripts/answers/compare.ts'
import { metricNames, Normalizer } from '../scripts/answers/normalizer.ts'
import { RouteTable } from '../scripts/answers/openapi.ts'
import { parseTable } from '../scripts/answers/request-table.ts'

const line = (body: unknown, changes: Partial<Line> = {}): Line => ({
  name: 'acme: GET /x',
  status: 200,
  headers: {},
  body: typeof body === 'string' ? body : JSON.stringify(body),
  ...changes,
})

describe('the normalizer of recorded answers', () => {
  test('replaces random values and leaves everything else unchanged', () => {
    const normalizer = new Normalizer()
    const token = 'Ab_-'.repeat(20)
    for (const [text, expected] of [
      [`{"count":1,"next_token":"${token}"}`, '{"count":1,"next_token":"<token>"}'],
      [`{"next":"${token}","searchedTo":"x"}`, '{"next":"<token>","searchedTo":"x"}'],
      ['{"next":"17"}', '{"next":"17"}'],
      [`GET /v1/events?cursor=${token}&limit=2`, 'GET /v1/events?cursor=<token>&limit=2'],
      [`event: log\nid: ${token}\ndata: {"id":"m"}`, 'event: log\nid: <position>\ndata: {"id":"m"}'],
      [`envelog_session=${token}; HttpOnly`, 'envelog_session=<session>; HttpOnly'],
      [`"env0a1b2c3d._domainkey.a.test"`, '"<selector>._domainkey.a.test"'],
      [`v=DKIM1; k=rsa; p=${'MIIB'.repeat(40)}==`, 'v=DKIM1; k=rsa; p=<public key>'],
      [`["v=DKIM1; p=${'MIIB'.repeat(40)}","${'0aZ+'.repeat(40)}=="]`, '["v=DKIM1; p=<public key>","<public key>"]'],
      ['"lm2-025d91b20be8cfe9046c@bounces.acme.test"', '"lm2-<signature>@bounces.acme.test"'],
      ['{"nextCheckAt":null,"lastCheckAt":"2025"}', '{"nextCheckAt":null,"lastCheckAt":"2025"}'],
      ['01890a5d-ac96-774b-bcce-b302099a8057', '<id>'],
      ['00000000-0000-4000-8000-000000000000', '00000000-0000-4000-8000-000000000000'],
    ] as const) {
      assert.equal(normalizer.text(text), expected)
    }
  })

  test('replaces learned values by their names, a key before the id within it', () => {
    const normalizer = new Normalizer()
    normalizer.learn('id', 'abc')
    normalizer.learn('key', 'abc_secret')
    normalizer.learn('nothing', '')
    assert.equal(normalizer.text('abc_secret abc'), '<key> <id>')
  })

  test('keeps headers except for those of the connection and the time', () => {
    const headers = {
      'x-request-id': '3b241101-e2bb-4255-8caf-4136c566a962',
      'content-type': 'text/plain',
      date: 'now',
      'content-length': '5',
    }
    assert.deepEqual(new Normalizer().headers(headers), {
      'content-type': 'text/plain',
      'x-request-id': '<request id>',
    })
  })

  test('reduces metrics to the names and labels of ours', () => {
    const text = '# HELP envelog_a x\nenvelog_a{b="1"} 5\nenvelog_a{b="2"} 6\nnodejs_c 1\n'
    assert.equal(metricNames(text), 'envelog_a{b}')
  })
})

describe('comparing recordings', () => {
  test('finds status, header, body, order and missing answers, and lists additions', () => {
    const whatDiffers = (before: Line, after: Line) => compare([before], [after]).differences.map(({ what }) => what)
    assert.deepEqual(whatDiffers(line({ a: 1 }), line({ a: 1 })), [])
    assert.match(String(whatDiffers(line({}), line({}, { status: 404 }))), /status 200, now 404/)
    assert.match(String(whatDiffers(line({}), line({}, { headers: { vary: 'x' } }))), /headers\.vary: absent, now "x"/)
    assert.match(String(whatDiffers(line({ a: [1, 2] }), line({ a: [1, 3] }))), /body\.a\.1: 2, now 3/)
    assert.match(String(whatDiffers(line({ a: 1, b: 2 }), line({ b: 2, a: 1 }))), /another order/)
    assert.match(String(whatDiffers(line('a,b\n'), line('a,c\n'))), /body at 2/)
    const { differences, added } = compare([line({})], [line({}, { name: 'new' })])
    assert.deepEqual([differences.length, added], [1, ['new']])
  })

  test('ignores differences in texts for people if both sides have one, and no other differences', () => {
    const outcome = (before: unknown, after: unknown, changes: Partial<Line> = {}) => {
      const { differences, reworded } = compare([line(before, changes)], [line(after, changes)], { ignoresWords: true })
      return [differences.length, reworded]
    }
    assert.deepEqual(outcome({ error: 400, message: 'a' }, { error: 400, message: 'b' }), [0, 1])
    assert.deepEqual(outcome({ error: 400, message: 'a' }, { error: 401, message: 'a' }), [1, 0])
    assert.deepEqual(outcome({ message: 'a' }, { message: '' }), [1, 0])
    assert.deepEqual(outcome({ message: 'a' }, {}), [1, 0])
    assert.deepEqual(outcome({ events: [{ explanation: 'a' }] }, { events: [{ explanation: 'b' }] }), [0, 1])
    assert.deepEqual(outcome({ description: 'a' }, { description: 'b' }), [1, 0])
    assert.deepEqual(outcome({ description: 'a' }, { description: 'b' }, { name: 'OpenAPI v1 GET /x' }), [0, 1])
    assert.deepEqual(outcome('<p>a', '<p>b', { headers: { 'content-type': 'text/html; charset=utf-8' } }), [0, 1])
    assert.deepEqual(compare([line({ message: 'a' })], [line({ message: 'b' })]).differences.length, 1)
  })

  test('reads back a written recording', () => {
    const lines = [line('a\nb'), line({ a: 1 })]
    assert.deepEqual(parseLines(lines.map((one) => `${JSON.stringify(one)}\n`).join('')), lines)
  })
})

test('a documented route counts as covered only by its own successful answer', () => {
  const routes = new RouteTable([{ paths: { '/a/{name}': { get: {} }, '/a/fixed': { get: {}, post: {} } } }])
  routes.note('GET', '/a/fixed?x=1', 200)
  routes.note('POST', '/a/fixed', 400)
  assert.deepEqual(routes.listUncovered(), ['POST /a/fixed', 'GET /a/{name}'])
  routes.note('GET', '/a/other', 200)
  routes.note('POST', '/a/fixed', 201)
  assert.deepEqual(routes.listUncovered(), [])
  assert.equal(routes.has('GET /a/{name}'), true)
})

test('a table of requests asks every caller for every combination of method, path and query', () => {
  const asked = (table: string) => parseTable(table).map(({ caller, target }) => `${caller}: ${target}`)
  assert.deepEqual(asked('\nacme GET /a\n{x,y} {GET,HEAD} /b - c={1,2}&d={3,4}\n  e=5\n').slice(0, 9), [
    'acme: GET /a',
    'x: GET /b',
    'x: HEAD /b',
    'x: GET /b?c=1&d=3',
    'x: GET /b?c=1&d=4',
    'x: GET /b?c=2&d=3',
    'x: GET /b?c=2&d=4',
    'x: HEAD /b?c=1&d=3',
    'x: HEAD /b?c=1&d=4',
  ])
  assert.deepEqual(new Set(asked('* GET /a').map((line) => line.split(':')[0])).size, 11)
})
