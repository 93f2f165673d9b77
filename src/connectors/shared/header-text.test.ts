import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeHeaderText, readHeaders } from './header-text.ts'

test('encoded words are decoded, whatever their charset and encoding', () => {
  const samples: readonly [string, string][] = [
    ['plain', 'plain'],
    ['=?utf-8?q?Gr=C3=BC=C3=9Fe_aus?= Wien', 'Grüße aus Wien'],
    ['=?UTF-8?B?5pel5pys?=', '日本'],
    ['=?iso-8859-1?Q?caf=E9?=', 'café'],
    ['=?iso-2022-jp?B?GyRCRnxLXBsoQg==?=', '日本'],
    ['a =?us-ascii*en?q?b?= c', 'a b c'],
    ['=?utf-8?q?a?= =?utf-8?q?b?=\t=?utf-8?b?Yw==?=', 'abc'],
    ['=?utf-8?q?a?= b =?utf-8?q?c?=', 'a b c'],
  ]
  for (const [raw, text] of samples) assert.equal(decodeHeaderText(raw), text)
})

test('a character that was split between two words is restored', () => {
  assert.equal(decodeHeaderText('=?utf-8?q?=C3?= =?utf-8?q?=BC?='), 'ü')
  assert.equal(decodeHeaderText('=?utf-8?b?w7w=?= =?utf-8?b?w7w=?='), 'üü')
})

test('text that is not an encoded word, or has an unknown charset, is left as it is', () => {
  for (const raw of ['=?x?=', '=?klingon?q?a?=', '=?utf-8?z?a?=', '=?', 'a=?b?=c'])
    assert.equal(decodeHeaderText(raw), raw)
})

test('headers end at the first empty line, are unfolded, and the first of a name counts', () => {
  const headers = readHeaders('From: a\r\nSUBJECT : long\r\n  line\r\nsubject: second\r\nno header\r\n\r\nTo: body')
  assert.deepEqual(
    ['from', 'subject', 'no header', 'to'].map((name) => headers.list(name)),
    [['a'], ['long  line', 'second'], [], []],
  )
  assert.equal(headers.get('subject'), 'long  line')
})

test('a very long header is read in linear time', () => {
  const raw = '=?utf-8?q?a?= '.repeat(100_000)
  const startedMs = performance.now()
  decodeHeaderText(raw)
  readHeaders(`Subject: ${raw}`)
  // Superlinear work would take minutes.
  assert.ok(performance.now() - startedMs < 5000)
})
