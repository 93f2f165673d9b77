import assert from 'node:assert/strict'
import { test } from 'node:test'
import { splitSearch } from './search-terms.ts'

const WORD = { operator: undefined, isExcluded: false, isQuoted: false, isBracketed: false }

test('a quotation mark that is not closed begins the last term, which can be completed', () => {
  assert.deepEqual(splitSearch('a "b c'), {
    terms: [
      { ...WORD, value: 'a', from: 0, to: 1 },
      { ...WORD, isQuoted: true, value: 'b c', from: 2, to: 6 },
    ],
    unclosedAt: 2,
  })
  assert.deepEqual(splitSearch('"b"'), { terms: [{ ...WORD, isQuoted: true, value: 'b', from: 0, to: 3 }] })
})

test('an address in angle brackets is complete, with the name and the operator before it', () => {
  const address = { ...WORD, value: 'anna@b.test', isBracketed: true, from: 0 }
  assert.deepEqual(splitSearch('Anna B <anna@b.test>').terms, [{ ...address, to: 20 }])
  assert.deepEqual(splitSearch('to: Anna <anna@b.test>').terms, [{ ...address, operator: 'to', to: 22 }])
})
