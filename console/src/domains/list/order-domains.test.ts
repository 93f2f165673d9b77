import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DomainSummary } from '../../../../src/http/v1/domains/domains.wire.ts'
import { type DomainView, listDomains } from './order-domains.ts'

const BASE: DomainSummary = {
  id: '',
  name: '',
  description: '',
  active: true,
  proven: true,
  verified: true,
  dkimVerified: true,
  spfVerified: true,
  dmarcVerified: true,
  lastCheckAt: null,
  nextCheckAt: null,
  status: 'verified',
  createdAt: '',
  updatedAt: '',
}
const DOMAINS: readonly DomainSummary[] = [
  { ...BASE, name: 'a.test', lastCheckAt: '2026-01-02T00:00:00Z' },
  { ...BASE, name: 'b.test', status: 'unverified', description: 'Shop of Anna' },
  { ...BASE, name: 'c.test', dmarcVerified: false },
  { ...BASE, name: 'd.test', status: 'failing', lastCheckAt: '2026-01-01T00:00:00Z' },
  { ...BASE, name: 'e.test', status: 'inactive' },
]
const ALL: DomainView = { q: '', show: 'all', sort: 'status', isReversed: false }

function letters(view: Partial<DomainView>, sent?: ReadonlyMap<string, readonly number[]>): string {
  return listDomains(DOMAINS, { ...ALL, ...view }, sent)
    .map(({ name }) => name[0])
    .join('')
}

test('problems come first; ties are in the order of names, in both directions', () => {
  assert.equal(letters({}), 'dbeca')
  assert.equal(letters({ isReversed: true }), 'acebd')
  assert.equal(letters({ show: 'problems' }), 'db')
})

test('other orders: name, messages, last check', () => {
  assert.equal(letters({ sort: 'name' }), 'abcde')
  assert.equal(letters({ sort: 'name', isReversed: true }), 'edcba')
  const sent = new Map([
    ['c.test', [1, 2]],
    ['e.test', [9]],
  ])
  assert.equal(letters({ sort: 'sent' }, sent), 'ecabd')
  assert.equal(letters({ sort: 'checked' }), 'bceda')
})

test('every word of a search is in the name or the description', () => {
  assert.equal(letters({ q: ' ANNA  shop ' }), 'b')
  assert.equal(letters({ q: 'b.test anna' }), 'b')
  assert.equal(letters({ q: 'd.' }), 'd')
  assert.equal(letters({ q: 'nothing' }), '')
})
