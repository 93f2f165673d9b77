import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseExtension } from './parse-extension.ts'

const TIME = 1_772_323_200

test('valid values are kept, an address in its canonical form', () => {
  const names = { sending_source: 'egress 1', sending_pool: 'büro' }
  assert.deepEqual(parseExtension({ sending_address: '2001:DB8:0::1', ...names, next_attempt: TIME + 900 }, TIME), {
    sending_address: '2001:db8::1',
    ...names,
    next_attempt: TIME + 900,
  })
  assert.deepEqual(parseExtension({ sending_address: '::ffff:192.0.2.1' }, TIME), { sending_address: '192.0.2.1' })
  assert.deepEqual(parseExtension({ url: 'https://a.test/', machine: 'scanner' }, TIME), {
    url: 'https://a.test/',
    machine: 'scanner',
  })
})

test('names have up to 255 characters, and the next attempt is within thirty days', () => {
  const name = 'x'.repeat(255)
  for (const told of [
    { sending_source: name, sending_pool: name },
    { next_attempt: TIME },
    { next_attempt: TIME + 30 * 86_400 },
  ]) {
    assert.deepEqual(parseExtension(told, TIME), told)
  }
})

test('every other value is left out, and does not touch the ones beside it', () => {
  const names = ['', 'a\nb', 'a\0', '\ud800', 'x'.repeat(256), '(other)', 7, null, {}, []]
  const invalid: Readonly<Record<string, readonly unknown[]>> = {
    sending_address: ['', 'mx.test', '192.0.2.256', '192.0.2.1/24', '1'.repeat(10_000), 7, null, ['192.0.2.1']],
    sending_source: names,
    sending_pool: names,
    next_attempt: [TIME - 1, TIME + 30 * 86_400 + 1, TIME * 1000, TIME + 0.5, Number.NaN, '1772323200', null, -1],
  }
  for (const [name, values] of Object.entries(invalid)) {
    for (const value of values) {
      assert.equal(parseExtension({ [name]: value }, TIME), undefined, `${name} ${String(value)}`)
      const beside = name === 'sending_pool' ? { sending_source: 's' } : { sending_pool: 'p' }
      assert.deepEqual(parseExtension({ [name]: value, ...beside }, TIME), beside)
    }
  }
  assert.equal(parseExtension({}, TIME), undefined)
  assert.equal(parseExtension(undefined, TIME), undefined)
})
