import assert from 'node:assert/strict'
import { test } from 'node:test'
import { printable, printableLines } from './printable.ts'

test('invisible and direction-changing characters are shown by their code point', () => {
  assert.equal(printable('invoice\u202Efdp.exe'), 'invoice[U+202E]fdp.exe')
  assert.equal(printable('a\u0000b\u001Bc\u0085d\u200Be\uFEFFf'), 'a[U+0000]b[U+001B]c[U+0085]d[U+200B]e[U+FEFF]f')
  assert.equal(printable('tab\tand\nbreak'), 'tab[U+0009]and[U+000A]break')
  assert.equal(printable('half \uD800 a pair'), 'half [U+D800] a pair')
  assert.equal(printable('tag \u{E0041}'), 'tag [U+E0041]')
})

test('text in any script, markup and joined emoji are unchanged', () => {
  for (const text of ['Größe', 'שלום', 'مرحبا', '你好', '<script>alert(1)</script>', '=1+1', '👩‍👩‍👧', 'می‌خواهم']) {
    assert.equal(printable(text), text)
  }
})

test('blocks keep their lines, whichever line break the server uses', () => {
  assert.equal(printableLines('550 one\r\n550 two\rthree\u202E'), '550 one\n550 two\nthree[U+202E]')
})
