import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findProxy } from './proxy-networks.ts'

test('addresses of a known proxy are distinguished from all others, at the edges too', () => {
  for (const address of [
    '104.16.0.0',
    '104.23.255.255',
    '104.27.255.255',
    '188.114.97.1',
    '2606:4700::1',
    '2a06:98c7:ffff::1',
  ]) {
    assert.equal(findProxy(address), 'Cloudflare', address)
  }
  for (const address of [
    '104.15.255.255',
    '104.28.0.0',
    '192.0.2.1',
    '2606:4701::1',
    '2a06:98c8::1',
    '::ffff:104.16.0.1',
    'x',
    '',
  ]) {
    assert.equal(findProxy(address), undefined, address)
  }
})

test('what is not an address is of no proxy', () => {
  assert.equal(findProxy('proxy.example.com'), undefined)
})
