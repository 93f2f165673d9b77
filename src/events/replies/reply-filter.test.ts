import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { codePoint } from '../../../test/harness/code-point.ts'
import { maskReply } from './mask-reply.ts'
import { literalsOf, replyTestOf } from './reply-filter.ts'

const piece = fc.constantFrom('550', ' ', '-', '.', ':', '*', '@', 'ab', 'x1', '9', '\n', '😀', '…', '(', 'é', '5.7.1')
const anything = fc.oneof(
  fc.string({ unit: codePoint }),
  fc.array(piece, { maxLength: 600 }).map((all) => all.join('')),
)

test('every text contains the literals of its mask, and passes the test for it', () => {
  fc.assert(
    fc.property(anything, (given) => {
      const text = given.toWellFormed()
      const mask = maskReply(text)
      const literals = literalsOf(mask)
      assert(literals.length <= 3)
      for (const literal of literals) assert(text.includes(literal), literal)
      if (mask === '') return
      assert.equal(replyTestOf({ replies: ['other', mask] })?.(text), true)
      assert.equal(replyTestOf({ without: { replies: [mask] } })?.(text), false)
    }),
  )
})

test('the literals are the longest words', () => {
  assert.deepEqual(literalsOf('Client host [*] blocked using bl.example…'), ['bl.example', 'blocked', 'Client'])
  assert.deepEqual(literalsOf('* *'), [])
})

test('events without a reply are found by no mask, and left out by none', () => {
  assert.equal(replyTestOf({ replies: ['x'] })?.(''), false)
  assert.equal(replyTestOf({ without: { replies: ['x'] } })?.(''), true)
  assert.equal(replyTestOf({ without: { types: ['Bounce'] } }), undefined)
})
