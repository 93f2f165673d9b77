import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseSearch } from '../../../src/events/search/parse-search.ts'
import { type CurrentTerm, completeOperators, completeValues, findCurrentTerm, quoted } from './completions.ts'

const ALL = { isAll: true, hasSending: true }
const FEW = { isAll: false, hasSending: false }

function current(text: string, caret = text.length): CurrentTerm {
  const term = findCurrentTerm(text, caret)
  assert.ok(term, text)
  return term
}

function values(text: string, known: readonly string[]): readonly string[] {
  const { operator, ...term } = current(text)
  assert.ok(operator)
  return completeValues(
    text,
    { ...term, operator },
    known.map((value) => ({ value })),
  ).map((found) => found.text)
}

test('a word is completed to the operators that begin with it, before or after other terms', () => {
  const texts = (text: string, caret?: number) =>
    completeOperators(text, current(text, caret), FEW).map((found) => found.text)
  assert.deepEqual(texts('pro'), ['provider:'])
  assert.deepEqual(texts('anna -ty'), ['anna -type:'])
  assert.deepEqual(texts('pro anna', 3), ['provider: anna'])
  assert.deepEqual(texts('anna@'), [])
  assert.deepEqual(texts(''), [])
  assert.deepEqual(texts('po'), [], 'a pool is nothing for those who may not know it')
  assert.ok(completeOperators('', current(''), ALL).some(({ term }) => term === 'pool:'))
  assert.equal(findCurrentTerm('provider', 3), undefined, 'not in the middle of a word')
  assert.equal(findCurrentTerm('Anna <a@b.test>', 15), undefined, 'a pasted address is complete')
})

test('after an operator its values are completed, quoted if they have to be', () => {
  const providers = ['Google', 'Google Workspace', 'My goo, Inc', 'Yahoo']
  assert.deepEqual(values('provider:goo', providers), [
    'provider:Google ',
    'provider:"Google Workspace" ',
    'provider:"My goo, Inc" ',
  ])
  assert.deepEqual(values('anna -provider:ya', providers), ['anna -provider:Yahoo '])
  assert.deepEqual(values('type: ', ['Bounce']), ['type:Bounce '])
  assert.deepEqual(values('type:Delivery,bou', ['Bounce']), ['type:Delivery,Bounce '])
  assert.deepEqual(values('type:bounce', ['Bounce']), [], 'what is complete is not suggested')
})

test('a completed value means the same when it is parsed', () => {
  for (const value of ['Google', 'Google Workspace', 'a,b', '-x', '"quoted"', '<a@b>']) {
    const parsed = parseSearch(`provider:${quoted(value)}`)
    assert.ok('wanted' in parsed)
    assert.deepEqual(parsed.wanted.providers, [value.replaceAll('"', ' ')])
  }
})
