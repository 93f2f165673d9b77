import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { codePoint } from '../../../test/harness/code-point.ts'
import { maskReply } from './mask-reply.ts'

/** The same refusal for different messages, senders and servers. */
const SAME: readonly (readonly [mask: string, ...texts: string[]])[] = [
  [
    '554 5.7.1 Service unavailable; Client host [*] blocked using bl.example',
    '554 5.7.1 Service unavailable; Client host [192.0.2.25] blocked using bl.example',
    '554 5.7.1 Service unavailable; Client host [2001:db8::25] blocked using bl.example',
  ],
  [
    '550 5.1.1 <*>: Recipient address rejected: User unknown',
    '550 5.1.1 <anna@example.org>: Recipient address rejected: User unknown',
    '550 5.1.1 <bob.smith+news@mail.example.net>: Recipient address rejected: User unknown',
  ],
  [
    '421-4.7.0 [*] Our system has detected 421-4.7.0 unusual mail. * - gsmtp',
    '421-4.7.0 [192.0.2.1] Our system has detected\r\n421-4.7.0 unusual mail. a640c23a62f3a-a6f52fsi12.456 - gsmtp',
    '421-4.7.0 [198.51.100.77] Our system has detected\n421-4.7.0 unusual mail. 4fb4d7f45d1cf-5c7e8b9si77.101 - gsmtp',
  ],
  [
    'Insufficient system resources (TSTE) [*.prod.protection.outlook.com]',
    'Insufficient system resources (TSTE) [DB5EUR01FT087.eop-EUR01.prod.protection.outlook.com]',
    'Insufficient system resources (TSTE) [AM7EUR03FT042.eop-EUR03.prod.protection.outlook.com]',
  ],
  [
    "messages from [*] weren't sent. (S3150) Please see http://mail.live.example/mail/troubleshooting.aspx#errors.",
    "messages from [192.0.2.25] weren't sent. (S3150) Please see http://mail.live.example/mail/troubleshooting.aspx#errors.",
    "messages from [192.0.2.8] weren't sent. (S3150) Please see http://mail.live.example/mail/troubleshooting.aspx#errors.",
  ],
  [
    'Please see http://lists.example/lookup?ip_address=*',
    'Please see http://lists.example/lookup?ip_address=192.0.2.25',
    'Please see http://lists.example/lookup?ip_address=192.0.2.250',
  ],
  ['Try again in * seconds', 'Try again in 300 seconds', 'Try again in 450 seconds'],
  ['queued as *', 'queued as 4XyZ9k2Lq1z', 'queued as 0A1B2C3D4E'],
  ['connect timed out at *', 'connect timed out at 2026-11-16 14:02:11', 'connect timed out at 2025-01-02 03:04:05'],
]

describe('the mask of a reply', () => {
  test('is the same for the same refusal of different messages', () => {
    for (const [mask, ...texts] of SAME) for (const text of texts) assert.equal(maskReply(text), mask)
  })

  test('keeps what tells one refusal from another', () => {
    for (const text of [
      '554 5.7.1 listed at bl.example',
      '550 5.1.1 user unknown',
      'Mailbox full (RBL2)',
      'Überlastet: später',
    ]) {
      assert.equal(maskReply(text), text)
    }
  })

  test('has no address, IP address or long number of the replies that we know', () => {
    const known = readFileSync(join(import.meta.dirname, '../../classification/testdata/receiver-replies.txt'), 'utf8')
    const replies = known.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
    assert(replies.length > 100)
    for (const line of replies) {
      const mask = maskReply(line.split('|').slice(5).join('|'))
      assert.doesNotMatch(mask, /\S@\S|\d+\.\d+\.\d+\.\d+|\d{5}/)
    }
  })

  test('is short, in one line and well-formed, whatever the text is', () => {
    const piece = fc.constantFrom(
      '550',
      ' ',
      '-',
      '.',
      ':',
      '*',
      '@',
      'ab',
      'x1',
      '9',
      '\n',
      '😀',
      '…',
      '(',
      '2001:db8::1',
      '5.7.1',
    )
    const anything = fc.oneof(
      fc.string({ unit: codePoint }),
      fc.array(piece, { maxLength: 400 }).map((all) => all.join('')),
    )
    fc.assert(
      fc.property(anything, (text) => {
        const mask = maskReply(text.toWellFormed())
        assert(mask.length <= 241 && mask.isWellFormed() && !/[\r\n]/.test(mask))
      }),
    )
  })
})
