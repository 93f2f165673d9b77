import assert from 'node:assert/strict'
import { test } from 'node:test'
import { printable } from './printable-text.ts'

test('visible ASCII and spaces stay as they are; everything else is written as its code point', () => {
  const visible = Array.from({ length: 0x7f - 0x20 }, (_, index) => String.fromCharCode(0x20 + index)).join('')
  assert.equal(printable(visible), visible)
  assert.equal(printable('\u001b[31m\r\n\u007f'), '\\u{1b}[31m\\u{d}\\u{a}\\u{7f}')
  assert.equal(printable('é\u202e😀'), '\\u{e9}\\u{202e}\\u{1f600}')
})

test('a text of 500 characters is shown whole, a longer one is cut and marked', () => {
  assert.equal(printable('x'.repeat(500)), 'x'.repeat(500))
  assert.equal(printable('x'.repeat(501)), `${'x'.repeat(500)}...`)
})
