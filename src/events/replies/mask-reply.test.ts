import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { codePoint } from '../../../test/harness/code-point.ts'
import { MASK_LENGTH_MAX, maskReply } from './mask-reply.ts'

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

  test('masks a word by its form: an address, a time, an id, a number; not a code, a tag, a name', () => {
    const masks: Readonly<Record<string, string>> = {
      // Around a word.
      ' waits  300\n': 'waits *',
      'id:--a1b2c3d4e5.._ later': 'id:*.._ later',
      '--300-- more': '--*-- more',
      '._: again 7': '._: again *',
      // Reply codes: at the beginning, or before an enhanced code. Anywhere else it is a number.
      '550 refused': '550 refused',
      '650 refused': '* refused',
      'refused: 550 5.7.1 no': 'refused: 550 5.7.1 no',
      'refused: 550 no': 'refused: * no',
      '550-later 550-x1y2z3w4v5': '550-later 550-*',
      '421-relay9.example. Busy': '421-*.example. Busy',
      // Enhanced codes, also after a colon; host names; tags.
      'status:5.7.1:x12345': 'status:5.7.1:*',
      'mx1.example.net is busy': '*.example.net is busy',
      'rule RBL2 and RBLS21234 and RBLSX1': 'rule RBL2 and * and *',
      'at 10:20:30 and ::1 and a:b and a:b1': 'at * and * and a:b and a:b1',
      // Digits and blanks beyond ASCII, between letters beyond ASCII.
      'noch ٣٠٠ Sekunden': 'noch * Sekunden',
      'noch\u00a0300\u00a0Sekunden': 'noch * Sekunden',
      'vor Übergabe99999ä gelöscht': 'vor * gelöscht',
    }
    for (const [text, mask] of Object.entries(masks)) assert.equal(maskReply(text), mask)
  })

  test('is read up to 1,000 characters, and has 240; three dots say that there was more', () => {
    const numbers = '9 '.repeat(500)
    assert.equal(maskReply(numbers), '*')
    assert.equal(maskReply(`${numbers} `), '*…')
    assert.equal(maskReply(`${numbers}unread`), '*…')
    assert.equal(maskReply('a'.repeat(240)), 'a'.repeat(240))
    assert.equal(maskReply('a'.repeat(241)), `${'a'.repeat(240)}…`)
    assert.equal(MASK_LENGTH_MAX, 241)
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
