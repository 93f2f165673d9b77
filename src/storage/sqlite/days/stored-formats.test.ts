/** Numbers and bytes that are in the files of every installation: another version has to compute the same ones. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { EVENT_TYPES } from '../../../events/event.ts'
import { hashForHistory, idKey } from '../history/id-key.ts'
import { packCounts } from '../history/packed-counts.ts'
import { SEARCHED_FIELDS } from '../text-index/text-search.ts'
import { sign, wordsOf } from '../text-index/text-signature.ts'
import { eventKey } from '../writing/event-row.ts'
import { ArrivalBatch } from './arrival-batch.ts'
import { fromPosition, positionRange, secondOfDay, toPosition } from './day.ts'
import { requireEndingPart, splitEndingKey } from './ending-key.ts'
import { hashBits, hashId, identityOf, identityRange, idHashOf } from './message-identity.ts'
import { domainOfMessageKey, numberOfMessageKey, toMessageKey } from './message-key.ts'
import { typeNumber } from './stored-codes.ts'

const ID = 'message-1@a.test'

describe('hashes that find duplicates and messages', () => {
  test('of a message', () => {
    assert.equal(hashBits(ID), 696_051_965)
    assert.equal(hashId(ID), 2_718_952)
    const identity = identityOf(ID, 'details')
    assert.equal(identity, 45_616_449_322_968)
    assert.equal(idHashOf(identity), hashId(ID))
    const [from, to] = identityRange(hashId(ID))
    assert.deepEqual([from, to], [2_718_952 * 2 ** 24, 2_718_953 * 2 ** 24])
  })

  test('of an event', () => {
    assert.equal(eventKey(43_200, 6, 550, '5.1.1 unknown', ',"a":1'), 1_225_876_825)
    assert.equal(eventKey(1, 0, null, null, ''), 1_227_515_750)
  })

  test('in the history index', () => {
    assert.equal(hashForHistory(ID), 11_136_831_455)
    // Day 20,000 is day 32 of span 312.
    assert.equal(idKey(hashForHistory(ID), 20_000), (312 * 2 ** 36 + 11_136_831_455) * 64 + 32)
  })
})

describe('numbers with several parts', () => {
  test('the position of an event: second of the day, then arrival', () => {
    assert.equal(toPosition(86_399, 7), 86_399 * 2 ** 32 + 7)
    assert.deepEqual(fromPosition(86_399 * 2 ** 32 + 7), { secondOfDay: 86_399, arrival: 7 })
    assert.equal(secondOfDay(1_772_366_400), 43_200)
  })

  test('the positions of a window within a day', () => {
    const start = 1_772_323_200
    const range = (from: number, to: number) => {
      const { from: first, to: end } = positionRange('2026-03-01', start + from, start + to)
      return [first / 2 ** 32, end / 2 ** 32]
    }
    assert.deepEqual(range(-10, 90_000), [0, 86_400])
    assert.deepEqual(range(5, 5), [5, 6])
    assert.deepEqual(range(0, 86_399), [0, 86_400])
    assert.deepEqual(range(86_399, 86_400), [86_399, 86_400])
  })

  test('the key of a message: domain, then number; a day with more messages is refused', () => {
    const last = 2 ** 28 - 1
    assert.equal(toMessageKey(3, last), 3 * 2 ** 28 + last)
    assert.deepEqual([domainOfMessageKey(3 * 2 ** 28 + last), numberOfMessageKey(3 * 2 ** 28 + last)], [3, last])
    assert.throws(() => toMessageKey(3, last + 1), RangeError)
    assert.equal(toMessageKey(2 ** 25 - 1, last), Number.MAX_SAFE_INTEGER)
    assert.throws(() => toMessageKey(2 ** 25, 0), RangeError)
  })

  test('the keys of the two texts that end an event', () => {
    assert.deepEqual(splitEndingKey(5 * 2 ** 26 + 9), { mailing: 5, circumstance: 9 })
    assert.equal(requireEndingPart(2 ** 26 - 1), 2 ** 26 - 1)
    assert.throws(() => requireEndingPart(2 ** 26), RangeError)
  })
})

test('event types have their numbers', () => {
  assert.deepEqual(EVENT_TYPES.map(typeNumber), [0, 1, 2, 3, 4, 5, 6, 7, 8])
  assert.equal(typeNumber('Feedback'), 8)
})

test('signatures of texts', () => {
  const texts = {
    recipient: 'Anna.Berg@Example.org',
    sender: 'bounces+1@a.test',
    from: 'Acme <news@a.test>',
    subject: 'Your order 757979',
  }
  const signatures = SEARCHED_FIELDS.map((field) => {
    const words = new Uint32Array(wordsOf(field))
    sign(field, texts[field], words, 0)
    return [field, ...words]
  })
  assert.deepEqual(signatures, [
    ['recipient', 66_304, 272_728_065, 1_074_529_288, 180_356_096],
    ['sender', 2_121_732, 4_194_308, 180_225, 33_587_204],
    ['from', 696_819_787],
    ['subject', 1_073_762_304, 1_073_743_892, 805_339_648, 196_608],
  ])
})

test('counts of the history index', () => {
  const packed = packCounts([
    { slot: 1, type: 2, provider: 'Google', classification: '', count: 300 },
    { slot: 63, type: 0, provider: undefined, classification: undefined, count: 1 },
  ])
  assert.equal(Buffer.from(packed).toString('hex'), '0d5b22476f6f676c65222c22225d01020102ac023f00000001ef221d20')
})

test('arrivals of a commit', () => {
  const batch = new ArrivalBatch()
  batch.add(43_200, 7)
  batch.add(43_199, 7)
  batch.add(43_201, 1000)
  batch.add(43_201, 3)
  assert.equal(Buffer.from(batch.toBytes()).toString('hex'), '80a3050e010004c20f00c90f')
})
