import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listParams, parseListSearch, writeListSearch } from './list-search.ts'

const SORTS = ['name', '-name'] as const

test('an address restores search, order and page', () => {
  const list = { search: 'a b', sort: '-name', page: 3 }
  assert.deepEqual(parseListSearch(writeListSearch(list, SORTS), SORTS), list)
  assert.equal(writeListSearch({ search: '', sort: 'name', page: 1 }, SORTS), '')
})

test('invalid parameters count as missing', () => {
  for (const query of ['page=0', 'page=-1', 'page=x', 'page=1.5', 'sort=nonsense', 'page=99999999999'])
    assert.deepEqual(parseListSearch(query, SORTS), { search: '', sort: 'name', page: 1 }, query)
})

test('a page is read with its place in the list', () => {
  assert.equal(String(listParams({ search: 'x&y', sort: 'name', page: 3 })), 'search=x%26y&sort=name&skip=100&take=50')
  assert.equal(String(listParams({ search: '', sort: '', page: 1 })), 'skip=0&take=50')
})
