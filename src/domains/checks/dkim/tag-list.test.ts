import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { codePoint } from '../../../../test/harness/code-point.ts'
import { readTagList, tagsOf } from './tag-list.ts'

const READ: readonly (readonly [text: string, tags: Readonly<Record<string, string>>])[] = [
  ['v=DKIM1; k=rsa; p=abc', { v: 'DKIM1', k: 'rsa', p: 'abc' }],
  ['v=DKIM1;k=rsa;p=abc;', { v: 'DKIM1', k: 'rsa', p: 'abc' }],
  [' v = DKIM1 ;\r\n\tp = a b\tc ; ', { v: 'DKIM1', p: 'a b\tc' }],
  ['p=', { p: '' }],
  ['p=a;', { p: 'a' }],
  ['p= \t ', { p: '' }],
  ['p=YQ==', { p: 'YQ==' }],
  ['x_1=a;X_1=b', { x_1: 'a', X_1: 'b' }],
]

const NO_LIST = ['', ' ', ';', 'p', 'p=a;;k=rsa', '=a', '1p=a', 'p-x=a', 'p=a; ;', '"p=a', '\\;p=a']

describe('tag lists', () => {
  for (const [text, tags] of READ) {
    test(`${JSON.stringify(text)} is read in its order`, () => {
      assert.deepEqual([...tagsOf(text)], Object.entries(tags))
    })
  }

  for (const text of NO_LIST) {
    test(`${JSON.stringify(text)} is not a tag list`, () => {
      assert.deepEqual(readTagList(text), { kind: 'no_list' })
    })
  }

  test('a repeated tag makes the list invalid and is named', () => {
    assert.deepEqual(readTagList('v=DKIM1; p=a; v=DKIM1; p=b'), { kind: 'repeated', tag: 'v' })
  })

  test('a long run of spaces in the middle costs no more than its length', () => {
    const value = `a${' '.repeat(5_000_000)}x`
    assert.equal(tagsOf(`p= ${value} `).get('p'), value)
  })

  test('no text makes the reader throw', () => {
    const piece = fc.oneof(fc.constantFrom(';', '=', ' ', 'v', 'p', '\t'), fc.string({ unit: codePoint, maxLength: 4 }))
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        readTagList(pieces.join(''))
      }),
    )
  })
})
