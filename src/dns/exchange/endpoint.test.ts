import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatEndpoint, parseEndpoint } from './endpoint.ts'

test('every form of a server address is parsed, and formatted in its short form', () => {
  const forms = [
    ['192.0.2.1', '192.0.2.1', 53],
    ['192.0.2.1:5353', '192.0.2.1', 5353],
    ['2001:db8::1', '2001:db8::1', 53],
    ['[2001:db8::1]:5353', '2001:db8::1', 5353],
    ['fe80::1%eth0', 'fe80::1%eth0', 53],
  ] as const
  for (const [text, address, port] of forms) {
    const endpoint = parseEndpoint(text)
    assert.deepEqual(endpoint, { address, port })
    assert.equal(formatEndpoint(endpoint), text)
  }
  assert.equal(formatEndpoint(parseEndpoint('[2001:db8::1]:53')), '2001:db8::1')
})

test('a name is not a server address', () => {
  for (const text of ['ns1.example.com', 'localhost:53', '', '192.0.2.1:', '[192.0.2.1]:53']) {
    assert.throws(() => parseEndpoint(text), text)
  }
})
