import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isComplaint } from './feedback-type.ts'

test('a report is a complaint unless its type says that it is about something else', () => {
  for (const type of ['abuse', 'Abuse', 'fraud', 'virus', 'other', 'opt-out', 'miscategorized', '', 'x-new', 'not'])
    assert.equal(isComplaint(type), true, type)
  for (const type of [
    'not-spam',
    'not_spam',
    'Not Spam',
    'notspam',
    ' auth-failure ',
    '\tdkim',
    'AUTH-FAILURE',
    'dmarc',
    'dkim',
  ])
    assert.equal(isComplaint(type), false, type)
})
