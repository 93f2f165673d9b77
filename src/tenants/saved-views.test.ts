import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseViewName, parseViewQuery, saveView, textsOfAddress, VIEW_NAME_MAX } from './saved-views.ts'

const refused = { code: 'invalid_request' }

test('the query of a view has up to 4000 characters, as they are written in an address', () => {
  const longest = `q=${'x'.repeat(3998)}`
  assert.equal(parseViewQuery(longest), longest)
  assert.throws(() => parseViewQuery(`${longest}x`), refused)
  // Each of these is written as six.
  assert.throws(() => parseViewQuery(`q=${'ä'.repeat(700)}`), /at most 4000 .* this one has 4202/)
})

test('a query consists of parameters, written as every other one is', () => {
  assert.equal(parseViewQuery('q=a b&type=Bounce'), 'q=a+b&type=Bounce')
  assert.equal(parseViewQuery(''), '')
  assert.equal(parseViewQuery(`${'n'.repeat(40)}=1`), `${'n'.repeat(40)}=1`)
  for (const query of ['<script>', 'Q=1', '=1', `${'n'.repeat(41)}=1`])
    assert.throws(() => parseViewQuery(query), refused)
})

test('a name is not empty, and not one that an address cannot have', () => {
  assert.equal(parseViewName('...'), '...')
  assert.equal(parseViewName('x'.repeat(VIEW_NAME_MAX)), 'x'.repeat(100))
  for (const name of ['', '.', '..', 'a\nb', 'x'.repeat(300)]) assert.throws(() => parseViewName(name), refused)
})

test('a key has up to 50 views; who replaces one names it', async () => {
  const asked: unknown[][] = []
  const save = (outcome: 'saved' | 'full' | 'no_key', replaces?: string) =>
    saveView(
      {
        clock: () => 7,
        views: {
          async saveView(...values) {
            asked.push(values)
            return outcome
          },
        },
      },
      'k1',
      { name: 'new', query: 'q=1', replaces },
    )
  const view = { name: 'new', query: 'q=1', savedAtMs: 7 }
  assert.deepEqual(await save('saved'), view)
  await save('saved', 'old')
  assert.deepEqual(asked, [
    ['k1', view, 50, 'new'],
    ['k1', view, 50, 'old'],
  ])
  await assert.rejects(save('full'), /at most 50 views/)
  await assert.rejects(save('no_key'), /this caller has none/)
  await assert.rejects(save('saved', '..'), refused)
})

test('the letters of an address are changed to lower case as well as folded', () => {
  const texts = textsOfAddress('ΑΣ@b.test')
  for (const text of ['ΑΣ@b.test', 'ας@b.test', 'ασ@b.test', 'ΑΣ@B.TEST']) assert.ok(texts.includes(text), text)
})

test('an address is looked for in every way in which a query can have it', () => {
  assert.deepEqual(textsOfAddress('A@b.test'), [
    'A%40b.test',
    'A@b.test',
    'a%40b.test',
    'a@b.test',
    'A%40B.TEST',
    'A@B.TEST',
  ])
})
