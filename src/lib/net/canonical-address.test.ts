import assert from 'node:assert/strict'
import { test } from 'node:test'
import { canonicalAddress } from './canonical-address.ts'

test('every spelling of an address has one canonical form', () => {
  const spellings: readonly (readonly [string, readonly string[]])[] = [
    ['192.0.2.1', ['192.0.2.1', ' 192.0.2.1 ', '192.0.2.1:53210', '[192.0.2.1]', '[192.0.2.1]:0', '::ffff:192.0.2.1']],
    ['192.0.2.1', ['::FFFF:c000:201', '[::ffff:192.0.2.1]:25', '0:0:0:0:0:ffff:192.0.2.1']],
    ['255.255.255.255', ['::ffff:ffff:ffff']],
    ['2001:db8::1', ['2001:db8::1', '2001:DB8:0:0:0:0:0:1', '[2001:db8::0001]', '[2001:0db8::1]:25']],
    ['fe80::1', ['fe80::1%eth0', '[fe80::1%eth0]:25', 'FE80::1%25']],
    ['::1', ['::1', '0:0:0:0:0:0:0:1']],
  ]
  for (const [canonical, texts] of spellings)
    for (const text of texts) assert.equal(canonicalAddress(text), canonical, text)
})

test('other texts are not addresses, nor is the unspecified address', () => {
  for (const text of [
    '',
    'mail.example.com',
    '192.0.2',
    '192.0.2.256',
    '192.0.2.1.5',
    '192.0.2.01',
    '192.0.2.1:123456',
    '192.0.2.1/24',
    '2001:db8:::1',
    '[2001:db8::1',
    '2001:db8::1]:25',
    '/run/socket',
    '0.0.0.0',
    '0.0.0.0:0',
    '[::]:0',
    `::1${' '.repeat(1000)}`,
  ])
    assert.equal(canonicalAddress(text), undefined, text)
})
