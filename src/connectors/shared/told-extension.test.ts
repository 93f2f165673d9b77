import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toldExtension } from './told-extension.ts'

test('an address is canonical, names are trimmed, a time is in Unix seconds', () => {
  assert.deepEqual(
    toldExtension({
      sending_address: '[2001:DB8::1]:25',
      sending_source: ' source-1 ',
      sending_pool: 'pool',
      next_attempt: 1_794_724_491,
      url: 'https://example.com',
    }),
    {
      extension: {
        sending_address: '2001:db8::1',
        sending_source: 'source-1',
        sending_pool: 'pool',
        next_attempt: 1_794_724_491,
      },
    },
  )
})

test('each value that is not valid is left out, and an extension without any is absent', () => {
  assert.deepEqual(toldExtension({ sending_address: 'mx.example.com', sending_source: 'kept' }), {
    extension: { sending_source: 'kept' },
  })
  for (const name of ['', ' ', 'a\nb', '\ud800', 'x'.repeat(256), 7, null, {}, ['a']])
    assert.deepEqual(toldExtension({ sending_source: name, sending_pool: name, sending_address: name }), {})
  for (const time of [0, -1, 1.5, Number.NaN, 1_794_724_491_000, '1794724491', null, {}])
    assert.deepEqual(toldExtension({ next_attempt: time }), {})
  for (const reported of [undefined, null, 'x', []]) assert.deepEqual(toldExtension(reported), {})
})
