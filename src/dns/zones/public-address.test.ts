import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isPublicAddress } from './public-address.ts'

/** Each with both ends of its block, so that a prefix of the wrong length shows. */
const SPECIAL = {
  'this network': ['0.0.0.0', '0.255.255.255'],
  'private (10)': ['10.0.0.0', '10.255.255.255'],
  'private (172.16)': ['172.16.0.0', '172.31.255.255'],
  'private (192.168)': ['192.168.0.0', '192.168.255.255'],
  'shared by carriers': ['100.64.0.0', '100.127.255.255'],
  loopback: ['127.0.0.0', '127.255.255.255', '::1'],
  'link-local': [
    '169.254.0.0',
    '169.254.169.254',
    '169.254.255.255',
    'fe80::1',
    'fe80::1%eth0',
    'febf::1',
    '2620:fe::fe%eth0',
  ],
  'protocol assignments': ['192.0.0.0', '192.0.0.255', '2001::1', '2001:1ff:ffff::1'],
  documentation: [
    '192.0.2.0',
    '192.0.2.255',
    '198.51.100.0',
    '198.51.100.255',
    '203.0.113.0',
    '203.0.113.255',
    '2001:db8::1',
    '2001:db8:ffff::1',
    '3fff::1',
    '3fff:fff::1',
  ],
  'multicast tunnelling': ['192.52.193.0', '192.52.193.255'],
  '6to4 relays': ['192.88.99.0', '192.88.99.255'],
  benchmarks: ['198.18.0.0', '198.19.255.255'],
  multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1'],
  'reserved and broadcast': ['240.0.0.1', '255.255.255.255'],
  'unique local': ['fc00::1', 'fdff::1'],
  'site-local': ['fec0::1'],
  unspecified: ['::'],
  'IPv4 inside IPv6': [
    '::ffff:8.8.8.8',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::1',
    '2002:ffff:ffff::1',
    '::8.8.8.8',
  ],
  'no address': ['', 'example.com', '127.1', '0x7f.0.0.1', '8.8.8.8:53', '8.8.8.8 ', '[2620:fe::fe]', '08.8.8.8'],
}

describe('a zone cannot direct queries to addresses that are not public', () => {
  for (const [what, addresses] of Object.entries(SPECIAL)) {
    test(what, () => {
      for (const address of addresses) assert.equal(isPublicAddress(address), false, address)
    })
  }

  test('the neighbours of special blocks and the rest of the Internet are public', () => {
    const neighbours = ['9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255', '128.0.0.0']
    const more = ['169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0', '192.167.255.255', '192.169.0.0']
    const rest = ['1.0.0.1', '8.8.8.8', '198.17.255.255', '198.20.0.0', '223.255.255.255', '192.175.48.6']
    const ipv6 = ['2001:200::1', '2001:4860:4860::8888', '2620:fe::fe', '2a00::1', '3ffe::1', '2001:db9::1', '2003::1']
    for (const address of [...neighbours, ...more, ...rest, ...ipv6])
      assert.equal(isPublicAddress(address), true, address)
  })
})
