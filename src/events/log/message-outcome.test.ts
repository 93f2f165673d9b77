import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EventType } from '../event.ts'
import { judgeMessage } from './message-outcome.ts'

const to = (recipient: string, ...types: EventType[]) => types.map((type) => ({ type, recipient }))

test('the most decisive event determines the outcome, in whatever order', () => {
  assert.equal(judgeMessage([]), 'received')
  assert.equal(judgeMessage(to('a', 'Reception')), 'received')
  assert.equal(judgeMessage(to('a', 'Reception', 'TransientFailure', 'Delayed')), 'deferred')
  assert.equal(judgeMessage(to('a', 'Reception', 'TransientFailure', 'Delivery')), 'delivered')
  assert.equal(judgeMessage(to('a', 'Delivery', 'TransientFailure', 'Reception')), 'delivered')
  assert.equal(judgeMessage(to('a', 'Opened')), 'delivered')
  assert.equal(judgeMessage(to('a', 'Delivery', 'OOBBounce')), 'bounced')
  assert.equal(judgeMessage(to('a', 'Delivery', 'Click', 'Feedback')), 'complained')
})

test('several recipients have one outcome where it is the same for all', () => {
  assert.equal(judgeMessage([...to('a', 'Delivery'), ...to('b', 'Reception', 'Opened')]), 'delivered')
  assert.equal(judgeMessage([...to('a', 'Delivery'), ...to('b', 'Bounce')]), 'mixed')
})
