import assert from 'node:assert/strict'
import { test } from 'node:test'
import { originFilter, parseSendingSearch, sendingLink } from './sending-search.ts'

test('an address restores what was chosen', () => {
  for (const search of [
    { by: 'address', last: '24h', value: '' },
    { by: 'pool', last: '7d', value: 'bulk & more' },
    { by: 'source', last: '30d', value: '(other)' },
  ] as const)
    assert.deepEqual(parseSendingSearch(sendingLink(search).split('?')[1] ?? ''), search)
  assert.equal(sendingLink(parseSendingSearch('by=nonsense&last=99d')), '/sending')
})

test('the log is filtered by the field of the origin', () => {
  assert.deepEqual(originFilter({ by: 'pool' }, 'bulk'), { sending_pool: ['bulk'] })
  assert.deepEqual(originFilter({ by: 'address' }, '192.0.2.1'), { sending_address: ['192.0.2.1'] })
})
