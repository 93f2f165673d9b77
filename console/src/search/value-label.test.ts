import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeSearch } from './describe-search.ts'
import { parseLogSearch } from './log-search.ts'
import { labelOfValue } from './value-label.ts'

test('types and reasons have the same words wherever they are shown, also if they are left out', () => {
  assert.equal(labelOfValue('classification', 'SpamBlock'), 'Spam block')
  assert.equal(labelOfValue('not_classification', 'InvalidRecipient'), 'Invalid recipient')
  assert.equal(labelOfValue('not_type', 'TransientFailure'), labelOfValue('type', 'TransientFailure'))
  assert.equal(labelOfValue('provider', 'SpamBlock'), 'SpamBlock')
  assert.equal(describeSearch(parseLogSearch('last=24h&classification=SpamBlock')), 'Last 24 hours · reason Spam block')
})
