import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { SharedTurns } from './shared-turns.ts'

test('work that fits into the turn starts at once, and again in the next turn', async () => {
  const turns = new SharedTurns(10)
  assert.equal(turns.take(4), undefined)
  assert.equal(turns.take(6), undefined)
  assert.notEqual(turns.take(1), undefined)
  await nextTurn()
  await nextTurn()
  assert.equal(turns.take(10), undefined)
})

test('other work waits for later turns, in order, and other events run in between', async () => {
  const turns = new SharedTurns(10)
  const log: string[] = []
  const work = async (name: string, amount: number) => {
    await turns.take(amount)
    log.push(name)
  }
  const works = [work('a', 10), work('b', 25), work('c', 5), work('d', 5), work('e', 1)]
  for (let turn = 1; turn <= 4; turn++) {
    await nextTurn()
    log.push(`turn ${turn}`)
  }
  await Promise.all(works)
  assert.deepEqual(
    log.filter((entry) => !entry.startsWith('turn')),
    ['a', 'b', 'c', 'd', 'e'],
  )
  const turnOf = (name: string) => log.slice(0, log.indexOf(name)).filter((entry) => entry.startsWith('turn')).length
  assert.ok(turnOf('b') < turnOf('c'))
  assert.equal(turnOf('c'), turnOf('d'))
  assert.ok(turnOf('d') < turnOf('e'))
})

test('later callers do not overtake waiting ones', async () => {
  const turns = new SharedTurns(10)
  const order: number[] = []
  const works = [8, 8, 1, 1].map(async (amount, index) => {
    await turns.take(amount)
    order.push(index)
  })
  await Promise.all(works)
  assert.deepEqual(order, [0, 1, 2, 3])
})
