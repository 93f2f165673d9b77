import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientNetworkOf } from './client-network.ts'

test('IPv6 addresses of one network count as one', () => {
  assert.equal(clientNetworkOf('2001:db8:1:2:3:4:5:6'), '2001:db8:1:2::/64')
  assert.equal(clientNetworkOf('2001:db8:1:2::9'), '2001:db8:1:2::/64')
  assert.equal(clientNetworkOf('2001:db8::9'), '2001:db8:0:0::/64')
  assert.notEqual(clientNetworkOf('2001:db8:1:3::9'), '2001:db8:1:2::/64')
})

test('an IPv4 address is the same in IPv4 and IPv6 notation', () => {
  assert.equal(clientNetworkOf('203.0.113.9'), '203.0.113.9')
  assert.equal(clientNetworkOf('::ffff:203.0.113.9'), '203.0.113.9')
})

test('a closed connection has no address and causes no error', () => {
  assert.equal(clientNetworkOf(''), '')
  assert.equal(clientNetworkOf(undefined), '')
})
