import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readReply } from '../diagnostic.ts'
import { readServerWords } from './server-words.ts'

describe('the words of a server', () => {
  test('are the reply that the text quotes, with the rest of its paragraph', () => {
    const text = 'Sorry.\n\nmx.example.org says:\n550-5.1.1 no such\n550 5.1.1 user\n\nGoodbye, mailbox full.'
    assert.deepEqual(readServerWords(text), { code: 550, enhancedCode: '5.1.1', text: 'no such user' })
  })

  test('otherwise are the paragraph with the reason, with its heading', () => {
    assert.equal(readServerWords('Hello.\n\nReason:\n\nmailbox is full\n\nBye.').text, 'mailbox is full')
    assert.equal(
      readServerWords('Hello.\n\nIt could not be delivered because:\n\nof us').text,
      'It could not be delivered because: of us',
    )
    assert.equal(readServerWords('Ask us.').text, 'Ask us.')
    assert.deepEqual(readServerWords(''), {})
  })

  test('have at most 1,000 characters', () => {
    const { length } = readServerWords(`550 ${'user unknown '.repeat(1000)}`).text ?? ''
    assert.ok(length > 900 && length <= 1000)
  })
})

describe('a reply code', () => {
  const cases: readonly (readonly [string, number | undefined])[] = [
    ['SMTP error from remote mail server after end of data: 550 no', 550],
    ['SMTP error from remote mail server after end of data: host mx [192.0.2.1]: 550 no', 550],
    ['SMTP error from remote mail server after initial connection: 554 no', 554],
    ['host mx.example.org says: 550 no', 550],
    ['host mx.example.org said: 452-4.2.2 no', 452],
    ['mx.example.org[192.0.2.1] responded with failure: 552 no', 552],
    ['mx.example.org responded 550 no', 550],
    ["Remote Server returned '550 5.1.1 no'", 550],
    ['#550 5.1.1 no ##', 550],
    ['[192.0.2.1]:25: 550 no', 550],
    ['ERROR_CODE :550, ERROR_CODE :5.1.1 no', 550],
    ['<<< 550 no', 550],
    ['<-- 550 no', 550],
    ['(reason: 550 5.1.1 no)', 550],
    ['The error was: 550 550 5.7.1 no', 550],
    ['said: 220 mx.example.org ready', undefined],
    ['250 2.0.0 ok', 250],
    ['said: 250 2.0.0 ok', undefined],
    ['said: 354 go ahead', undefined],
    ['said: 600 no', undefined],
    ['said: 5501 no', undefined],
    ['Size: 512 bytes', undefined],
    ['retried for: 450 minutes', undefined],
    ['at 12:550 no', undefined],
    ['192.0.2.450 no', undefined],
  ]
  for (const [text, code] of cases) test(text, () => assert.equal(readReply(text).code, code))

  test('an enhanced code is not part of a longer number', () => {
    assert.equal(readReply('Mail Service Version 4.0.994.63').enhancedCode, undefined)
    assert.equal(readReply('no (#5.1.1).').enhancedCode, '5.1.1')
  })
})
