import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { clientAddressOf } from './client-address.ts'

function addressOf(remoteAddress: string | undefined, forwarded?: string): string {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
  return clientAddressOf({ socket: { remoteAddress }, headers } as unknown as IncomingMessage)
}

test("a remote connection's own address counts, whatever its headers claim", () => {
  assert.equal(addressOf('203.0.113.9', '198.51.100.1'), '203.0.113.9')
  assert.equal(addressOf('::ffff:203.0.113.9'), '203.0.113.9')
})

test('behind a proxy, the entry added by the proxy counts, not those sent by the client', () => {
  for (const proxy of ['127.0.0.1', '::1', '10.1.2.3', '172.20.0.2', '192.168.1.1', 'fd00::1', '::ffff:127.0.0.1']) {
    assert.equal(addressOf(proxy, '1.1.1.1, 198.51.100.1'), '198.51.100.1', proxy)
    assert.notEqual(addressOf(proxy), '198.51.100.1')
  }
  assert.equal(addressOf('127.0.0.1', 'rubbish'), '127.0.0.1')
  assert.equal(addressOf('127.0.0.1', ''), '127.0.0.1')
})

test('IPv6 addresses of one network count as one', () => {
  assert.equal(addressOf('2001:db8:1:2:3:4:5:6'), '2001:db8:1:2::/64')
  assert.equal(addressOf('2001:db8:1:2::9'), '2001:db8:1:2::/64')
  assert.equal(addressOf('2001:db8::9'), '2001:db8:0:0::/64')
  assert.notEqual(addressOf('2001:db8:1:3::9'), '2001:db8:1:2::/64')
})

test('a closed connection has no address and causes no error', () => {
  assert.equal(addressOf(undefined), '')
})
