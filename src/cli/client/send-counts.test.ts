import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addAnswer, addLeftOut, countLosses, describeAll, type SendCounts } from './send-counts.ts'

test('everything that was read is in the outcome: stored, rejected, skipped, or left out with its reason', () => {
  const counts: SendCounts = { stored: 0, duplicates: 0, rejected: 0 }
  assert.equal(describeAll(counts), 'Stored 0 events; 0 were already stored; 0 records rejected.')
  addAnswer(counts, { stored: 3, duplicates: 1, rejected: [{ index: 0, error: 'x' }], skipped: 2 })
  addAnswer(counts, { stored: 1, duplicates: 0, rejected: [] })
  addLeftOut(counts, { probe: 1200, no_sender_domain: 1 })
  addLeftOut(counts, { probe: 34 })
  assert.deepEqual(describeAll(counts).split('\n'), [
    'Stored 4 events; 1 was already stored; 1 record rejected.',
    '2 records skipped: mail of unknown domains, or not about the delivery of a message.',
    '1 outcome left out: neither the sender nor From names a domain.',
    '1,234 outcomes left out on purpose: address probes.',
  ])
})

test('only what should have become an event is a loss', () => {
  const counts: SendCounts = { stored: 0, duplicates: 0, rejected: 0 }
  addLeftOut(counts, { probe: 5, handed_over: 5, discarded: 5 })
  assert.equal(countLosses(counts), 0)
  addLeftOut(counts, { sender_not_logged: 2, unreadable: 3 })
  assert.equal(countLosses(counts), 5)
})
