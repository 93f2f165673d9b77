import assert from 'node:assert/strict'
import { test } from 'node:test'
import { COLUMNS, DEFAULT_COLUMNS, readLook, readLookParams, withColumn, withDensity } from './log-look.ts'
import { parseLogSearch, writeLogSearch } from './log-search.ts'

test('columns and density are part of an address, and unchanged when it is written again', () => {
  for (const query of [
    '?columns=domain%2Cresponse',
    '?columns=',
    '?type=Bounce&density=compact',
    '?columns=code&live=1',
  ]) {
    const written = writeLogSearch(parseLogSearch(query))
    assert.deepEqual(parseLogSearch(written), parseLogSearch(query))
    assert.equal(written.includes('columns'), query.includes('columns'))
  }
  assert.deepEqual(readLookParams(new URLSearchParams('columns=')), { columns: [] })
})

test('what is unknown is ignored: names of another version, repetitions, other kinds of values', () => {
  assert.deepEqual(readLook({ columns: ['domain', 'colour', 'domain', 7, null, 'code'], density: 'airy' }), {
    columns: ['domain', 'code'],
  })
  for (const columns of [['colour'], 'domain', { 0: 'domain' }, 7, null]) assert.deepEqual(readLook({ columns }), {})
  assert.deepEqual(readLookParams(new URLSearchParams('columns=colour&density=')), {})
})

test('the default is not written, however it was chosen', () => {
  assert.deepEqual(readLook({ columns: [...DEFAULT_COLUMNS], density: 'comfortable' }), {})
  const compact = withDensity({}, 'compact')
  assert.deepEqual(compact, { density: 'compact' })
  assert.deepEqual(withDensity(compact, 'comfortable'), {})
})

test('a column is chosen last, or no longer', () => {
  const more = withColumn({ density: 'compact' }, 'domain', true)
  assert.deepEqual(more, { columns: [...DEFAULT_COLUMNS, 'domain'], density: 'compact' })
  assert.deepEqual(withColumn(more, 'domain', false), { density: 'compact' })
  assert.deepEqual(withColumn({ columns: ['domain', 'code'] }, 'domain', true), { columns: ['code', 'domain'] })
  const none = COLUMNS.reduce((look, column) => withColumn(look, column, false), {})
  assert.deepEqual(none, { columns: [] })
})
