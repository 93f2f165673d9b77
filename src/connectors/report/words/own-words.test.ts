import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseMime } from '../mime/mime-message.ts'
import { readOwnWords, splitCopy } from './own-words.ts'

describe('the words of a mail system', () => {
  for (const line of [
    '--- Below this line is a copy of the message.',
    '------ This is a copy of the message, including all the headers. ------',
    '--- The header of the original message is following. ---',
    '   ----- Original message follows -----',
    '   ----- Unsent message follows -----',
    '    Below is a copy of the original message:',
    'Message headers follow.',
    'Original message headers:',
    'Included is a copy of the message header:',
    '-----Original Message-----',
    '----- Mensaje original -----',
  ])
    test(`end before: ${line}`, () => {
      const { words, copy } = splitCopy(`It failed.\n\n${line}\n\nFrom: a@b.c\nSubject: x\n\ncould not be delivered`)
      assert.equal(words, 'It failed.')
      assert.match(copy, /^From: a@b\.c\nSubject: x/)
    })

  test('end before a copy that nothing announces, which keeps its first line', () => {
    const { words, copy } = splitCopy('It failed.\r\n\r\nReceived: from a\r\nSubject: x')
    assert.deepEqual({ words, copy }, { words: 'It failed.', copy: 'Received: from a\r\nSubject: x' })
  })

  test('do not end at sentences about the message, or at a transcript', () => {
    const text =
      'The original message was received at noon.\n----- Transcript of session follows -----\n>>> DATA\n<<< 550 no'
    assert.equal(splitCopy(text).words, text)
  })

  test('have neither quotes nor subjects', () => {
    const text =
      'It failed.\n> could not be\n  Subject: Delivery failed\nBetreff: Unzustellbar\nTo: a@b.c\n\nOn 15 January Bob wrote:\nx'
    assert.equal(splitCopy(text).words, 'It failed.\nTo: a@b.c')
  })

  test('come from HTML if there is no plain text, in its charset', () => {
    const html = '<style>p{}</style><p>Zustellung <b>nicht</b> m\xf6glich&#33;</p><br>&lt;a@b.c&gt; &amp; &nonsense; <'
    const message = `Content-Type: text/html; charset=iso-8859-1\n\n${html}`
    const { words } = readOwnWords(parseMime(Buffer.from(message, 'latin1')))
    assert.equal(words.replaceAll(/\s+/g, ' '), 'Zustellung nicht möglich! <a@b.c> & &nonsense;')
  })

  test('are limited', () => {
    assert.ok(splitCopy('a\n'.repeat(100_000)).words.length <= 8000)
    assert.ok(splitCopy('a'.repeat(100_000)).words.length <= 8000)
  })
})
