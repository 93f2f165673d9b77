import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findNearestName } from './nearest-name.ts'

const KNOWN = ['ENVELOG_HOST', 'ENVELOG_PORT', 'ENVELOG_RETENTION', 'ENVELOG_LOGS_HOST']

test('an extra, missing, wrong or swapped letter leads to the intended name', () => {
  assert.equal(findNearestName('ENVELOG_PORTT', KNOWN), 'ENVELOG_PORT')
  assert.equal(findNearestName('ENVELOG_PRT', KNOWN), 'ENVELOG_PORT')
  assert.equal(findNearestName('ENVELOG_PORK', KNOWN), 'ENVELOG_PORT')
  assert.equal(findNearestName('ENVELOG_RETENTOIN', KNOWN), 'ENVELOG_RETENTION')
})

test('of two near names the nearer one is suggested', () => {
  assert.equal(findNearestName('ENVELOG_LOG_HOST', KNOWN), 'ENVELOG_LOGS_HOST')
  assert.equal(findNearestName('ENVELOG_HOTS', KNOWN), 'ENVELOG_HOST')
})

test('a name that is near nothing gets no suggestion', () => {
  assert.equal(findNearestName('ENVELOG_CLICKHOUSE_URL', KNOWN), undefined)
  assert.equal(findNearestName('', KNOWN), undefined)
})
