import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatCount, formatTable } from './text-table.ts'

test('columns are as wide as their widest cell, and no line ends in blanks', () => {
  const table = formatTable(
    ['NAME', 'STATE'],
    [
      ['a', 'yes'],
      ['longer', ''],
    ],
    'none',
  )
  assert.equal(table, 'NAME    STATE\na       yes\nlonger')
})

test('without rows the sentence for that case is shown instead of headings', () => {
  assert.equal(formatTable(['NAME'], [], 'There are none.'), 'There are none.')
})

test('counts have separators and agree with their noun', () => {
  assert.equal(formatCount(1, 'event'), '1 event')
  assert.equal(formatCount(0, 'event'), '0 events')
  assert.equal(formatCount(1_234_567, 'was', 'were'), '1,234,567 were')
})

test('a cell cannot move the cursor, break the line or change the direction of the text', () => {
  const table = formatTable(['NAME'], [['\u001b[2Ja\nb\u202ec\u009b']], 'none')
  assert.equal(table, 'NAME\n?[2Ja?b?c?')
})
