import assert from 'node:assert/strict'
import { isIPv4, isIPv6 } from 'node:net'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { type IpAddress, isInNetwork, readIp4Address, readIp6Address, readIpAddress } from './ip-address.ts'

function address(text: string): IpAddress {
  const ip = readIpAddress(text)
  assert.ok(ip, text)
  return ip
}

describe('IP address', () => {
  test('the same texts are addresses as for node:net', () => {
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
