import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { parseTagList } from './tag-list.ts'

const READ: readonly (readonly [text: string, tags: readonly (readonly [string, string])[]])[] = [
  [
    'v=DKIM1; k=rsa; p=abc',
    [
      ['v', 'DKIM1'],
      ['k', 'rsa'],
      ['p', 'abc'],
    ],
  ],
  [
    'v=DKIM1;k=rsa;p=abc;',
    [
      ['v', 'DKIM1'],
      ['k', 'rsa'],
      ['p', 'abc'],
    ],
  ],
  [
    ' v = DKIM1 ;\r\n\tp = a b\tc ; ',
    [
      ['v', 'DKIM1'],
      ['p', 'a b\tc'],
    ],
  ],
  ['p=', [['p', '']]],
  ['p=YQ==', [['p', 'YQ==']]],
  [
    'x_1=a;X_1=b',
    [
      ['x_1', 'a'],
      ['X_1', 'b'],
    ],
  ],
]

const NO_LIST = ['', ' ', ';', 'p', 'p=a;;k=rsa', '=a', 'p=a;p=b', '1p=a', 'p-x=a', 'p=a; ;', '"p=a', '\\;p=a']

describe('tag lists', () => {
  for (const [text, tags] of READ) {
    test(`${JSON.stringify(text)} is read in its order`, () => {
      assert.deepEqual([...(parseTagList(text) ?? [])], tags)
    })
  }

  for (const text of NO_LIST) {
    test(`${JSON.stringify(text)} is no tag list`, () => {
      assert.equal(parseTagList(text), undefined)
    })
  }

  test('no text makes the parser throw', () => {
    const piece = fc.oneof(fc.constantFrom(';', '=', ' ', 'v', 'p', '\t'), fc.string({ unit: 'binary', maxLength: 4 }))
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        parseTagList(pieces.join(''))
      }),
    )
  })

  test('what is written is read back, whatever white space stands around it', () => {
    const name = fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9_]{0,8}$/)
    const value = fc.stringMatching(/^[!-:<-~]{0,20}$/)
    const space = fc.stringMatching(/^[ \t]{0,3}$/)
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(name, value), { selector: ([tag]) => tag, minLength: 1 }),
        space,
        (tags, gap) => {
          const text = tags.map(([tag, content]) => `${gap}${tag}${gap}=${gap}${content}${gap}`).join(';')
          assert.deepEqual([...(parseTagList(text) ?? [])], tags)
        },
      ),
    )
  })
})
