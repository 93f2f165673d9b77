import assert from 'node:assert/strict'
import { isIPv4, isIPv6 } from 'node:net'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import {
  formatDotted,
  formatIpAddress,
  type IpAddress,
  isInNetwork,
  readIp4Address,
  readIp6Address,
  readIpAddress,
  reverseNameOf,
  withoutIp4Mapping,
} from './ip-address.ts'

function address(text: string): IpAddress {
  const ip = readIpAddress(text)
  assert.ok(ip, text)
  return ip
}

describe('IP address', () => {
  test('what is read as an address is what the operating system reads as one', () => {
    const character = fc.constantFrom(...'0123456789abcfF:.:.')
    const nearly = fc.oneof(
      fc.string({ unit: character, maxLength: 24 }),
      fc.ipV4(),
      fc.ipV4Extended(),
      fc.ipV6(),
      fc
        .array(fc.oneof(fc.string({ unit: character, maxLength: 5 }), fc.ipV4()), { maxLength: 9 })
        .map((s) => s.join(':')),
    )
    fc.assert(
      fc.property(nearly, (text) => {
        assert.equal(readIp4Address(text) !== undefined, isIPv4(text), text)
        assert.equal(readIp6Address(text) !== undefined, isIPv6(text), text)
      }),
      { numRuns: 5000 },
    )
  })

  test('an address is written as the standard says and read back as the same', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => {
        const ip = address(text)
        const written = formatIpAddress(ip)
        assert.deepEqual(readIpAddress(written), ip)
        if (ip.family === 6 && !written.includes('.')) {
          // The URL standard writes IPv6 addresses as RFC 5952 does.
          assert.equal(`[${written}]`, new URL(`http://[${text}]/`).hostname)
        }
      }),
    )
  })

  for (const [text, shown] of [
    ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['2001:0:0:1:0:0:0:1', '2001:0:0:1::1'],
    ['0:0:0:0:0:0:0:0', '::'],
    ['1:0:0:0:0:0:0:0', '1::'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['10:0:100:0:0:0:0:10', '10:0:100::10'],
    ['::FFFF:192.0.2.1', '::ffff:c000:201'],
  ] as const) {
    test(`${text} is written ${shown}`, () => assert.equal(formatIpAddress(address(text)), shown))
  }

  test('the name for the reverse lookup has the parts of the address in reverse', () => {
    assert.equal(reverseNameOf(address('192.0.2.130')), '130.2.0.192.in-addr.arpa')
    const nibbles = '1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.B.D.0.1.0.0.2'
    assert.equal(reverseNameOf(address('2001:db8::1')), `${nibbles}.ip6.arpa`)
    assert.equal(formatDotted(address('2001:db8::1')), nibbles.split('.').toReversed().join('.'))
  })

  test('an IPv4-mapped address is the IPv4 address, and no other IPv6 address is', () => {
    assert.deepEqual(withoutIp4Mapping(address('::ffff:192.0.2.1')), address('192.0.2.1'))
    for (const text of ['::192.0.2.1', '::fffe:192.0.2.1', '::1:ffff:192.0.2.1', '192.0.2.1']) {
      assert.deepEqual(withoutIp4Mapping(address(text)), address(text))
    }
  })

  for (const [ip, network, prefixLength, isInside] of [
    ['192.0.2.1', '192.0.2.200', 24, true],
    ['192.0.2.127', '192.0.2.0', 25, true],
    ['192.0.2.128', '192.0.2.0', 25, false],
    ['192.0.2.1', '203.0.113.1', 0, true],
    ['192.0.2.1', '192.0.2.1', 32, true],
    ['192.0.2.1', '192.0.2.0', 32, false],
    ['2001:db8::1', '2001:db8:0:1::', 64, false],
    ['2001:db8::1', '2001:db8:0:0:ffff::', 64, true],
    ['2001:db8::1', '::', 0, true],
    ['192.0.2.1', '::', 0, false],
    ['::1', '0.0.0.0', 0, false],
  ] as const) {
    test(`${ip} is ${isInside ? '' : 'not '}in ${network}/${prefixLength}`, () => {
      assert.equal(isInNetwork(address(ip), { address: address(network), prefixLength }), isInside)
    })
  }
})
