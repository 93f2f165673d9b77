import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SearchSection } from '../../../src/http/docs/site/site.ts'
import { findSections } from './find-sections.ts'

const section = (page: string, heading: string, text: string, url = `/${page}#${heading}`): SearchSection => ({
  page,
  heading,
  url,
  text,
})

const urls = (sections: readonly SearchSection[], query: string) =>
  findSections(sections, query, 10).map(({ section: { url } }) => url)

test('a section is found if it has every word, in its titles or its text, in any case', () => {
  const sections = [section('Running', 'Backup', 'A copy of all data.'), section('Running', 'Keys', 'Scopes of keys.')]
  assert.deepEqual(urls(sections, 'BACKUP copy'), ['/Running#Backup'])
  assert.deepEqual(urls(sections, 'backup scopes'), [])
  assert.deepEqual(urls(sections, '   '), [])
})

test('a word in a heading counts more than one in the text, the beginning of a word more than its middle', () => {
  const sections = [
    section('A', 'one', 'about retention'),
    section('B', 'Retention', 'text'),
    section('C', 'two', 'without detention of any kind, entention'),
  ]
  assert.deepEqual(urls(sections, 'retention'), ['/B#Retention', '/A#one'])
  const [first] = urls([section('A', 'one', 'unlocked'), section('B', 'two', 'a lock file')], 'lock')
  assert.equal(first, '/B#two')
})

test('a heading that is the search itself comes first', () => {
  const sections = [
    section('Stream GET /v1/events', 'The stream: GET /v1/events', 'GET /v1/events'),
    section('Reference', 'GET /v1/events', 'Events as they arrive.'),
  ]
  assert.deepEqual(urls(sections, ' get  /v1/events'), [
    '/Reference#GET /v1/events',
    '/Stream GET /v1/events#The stream: GET /v1/events',
  ])
})

test('a decision or a change comes after a document that says the same', () => {
  const sections = [section('D', 'Backup', 'x', '/docs/guide/decisions/0038'), section('O', 'Backup', 'x')]
  assert.deepEqual(urls(sections, 'backup'), ['/O#Backup', '/docs/guide/decisions/0038'])
  const changed = [section('C', 'Backup', 'x', '/docs/guide/project/changelog#backup'), section('O', 'Backup', 'x')]
  assert.deepEqual(urls(changed, 'backup'), ['/O#Backup', '/docs/guide/project/changelog#backup'])
})

test('the excerpt shows the word, however far in the text it is', () => {
  const [found] = findSections([section('A', 'b', `${'word '.repeat(500)}needle ${'word '.repeat(500)}`)], 'needle', 1)
  assert.match(found?.excerpt ?? '', /^….*needle.*…$/)
  assert.ok((found?.excerpt.length ?? 0) < 160)
})

test('a query of absurd length is cut, and special characters are ordinary ones', () => {
  assert.deepEqual(urls([section('A', 'b', 'c')], 'x '.repeat(100_000)), [])
  assert.deepEqual(urls([section('A', 'b', 'code 5xx (.*) [x]')], '(.*)'), ['/A#b'])
})
