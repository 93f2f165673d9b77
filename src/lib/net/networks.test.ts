import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Networks } from './networks.ts'

test('an address is in a set if one of its networks has it', () => {
  const networks = new Networks(['192.0.2.7', '10.0.0.0/8', '2001:db8::/32'])
  for (const address of ['192.0.2.7', '10.255.0.1', '::ffff:10.1.1.1', '2001:db8:9::1']) {
    assert.equal(networks.has(address), true, address)
  }
  for (const address of ['192.0.2.8', '11.0.0.1', '2001:db9::1', '', 'rubbish', '10.0.0.0/8']) {
    assert.equal(networks.has(address), false, address)
  }
})

test('a prefix of 0 means every address of its family', () => {
  assert.equal(new Networks(['0.0.0.0/0']).has('203.0.113.9'), true)
  assert.equal(new Networks(['0.0.0.0/0']).has('2001:db8::1'), false)
  assert.equal(new Networks(['::/0']).has('2001:db8::1'), true)
})

test('anything that is not a network is refused', () => {
  for (const text of [
    '',
    'example.com',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0.0/-1',
    '2001:db8::/129',
    '10.0.0/8',
    ' 10.0.0.1',
  ]) {
    assert.throws(() => new Networks([text]), /is not a network/, text)
  }
})
