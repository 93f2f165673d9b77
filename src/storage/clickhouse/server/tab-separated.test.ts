import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseTabSeparated } from './tab-separated.ts'

test('rows are the values as they are on the server, whatever is in them', () => {
  const cases: readonly (readonly [string, readonly (readonly string[])[]])[] = [
    ['', []],
    ['\n', [['']]],
    ['a', [['a']]],
    ['a\tb\n', [['a', 'b']]],
    [
      '\t\n\t\n',
      [
        ['', ''],
        ['', ''],
      ],
    ],
    [`${String.raw`\b\f\r\n\t\0\\\'`}\n`, [["\b\f\r\n\t\0\\'"]]],
    [String.raw`a\\nb`, [[String.raw`a\nb`]]],
    ['ä😀\tx\\\ny', [['ä😀', 'x\\'], ['y']]],
  ]
  for (const [text, rows] of cases) assert.deepEqual(parseTabSeparated(text), rows, JSON.stringify(text))
})
