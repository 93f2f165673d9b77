import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BodyMemory, type Loan } from './body-memory.ts'

const OVERLOADED = { code: 'overloaded' }

/** A body that holds its memory until it is told to end. */
function open(memory: BodyMemory, keyId: string) {
  const ending = Promise.withResolvers<void>()
  let loan: Loan | undefined
  const ended = memory.lend(keyId, (own) => {
    loan = own
    return ending.promise
  })
  assert.ok(loan)
  return {
    loan,
    async end() {
      ending.resolve()
      await ended
    },
    async fail() {
      ending.reject(new Error('broken off'))
      await assert.rejects(ended, /broken off/)
    },
  }
}

test('the memory of all keys is used up to the last byte, and no further', async () => {
  const memory = new BodyMemory(100, 100)
  const [one, other] = [open(memory, 'a'), open(memory, 'b')]
  one.loan.reserve(60)
  other.loan.reserve(40)
  assert.throws(() => one.loan.reserve(1), OVERLOADED)
  assert.throws(() => other.loan.reserve(1), OVERLOADED)
  await one.end()
  assert.throws(() => other.loan.reserve(61), OVERLOADED)
  other.loan.reserve(60)
  await other.end()
})

test('a key uses half of it, however many bodies it sends, and leaves the rest to others', () => {
  const memory = new BodyMemory(100)
  const [one, same, other] = [open(memory, 'a'), open(memory, 'a'), open(memory, 'b')]
  one.loan.reserve(30)
  same.loan.reserve(20)
  assert.throws(() => same.loan.reserve(1), OVERLOADED)
  other.loan.reserve(50)
  assert.throws(() => other.loan.reserve(1), OVERLOADED)
})

test('a body that ends or fails returns all that it has, and what was returned early is not returned twice', async () => {
  const memory = new BodyMemory(100, 100)
  for (const how of ['end', 'fail'] as const) {
    for (let round = 0; round < 3; round++) {
      const body = open(memory, 'a')
      body.loan.reserve(80)
      body.loan.release(30)
      body.loan.reserve(50)
      await body[how]()
    }
  }
  const last = open(memory, 'a')
  last.loan.reserve(100)
  assert.throws(() => last.loan.reserve(1), OVERLOADED)
})

test('a refused reservation takes nothing', () => {
  const memory = new BodyMemory(100, 100)
  const { loan } = open(memory, 'a')
  assert.throws(() => loan.reserve(101), OVERLOADED)
  loan.reserve(100)
})
