import assert from 'node:assert/strict'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { AnswerMemory } from './answer-memory.ts'

const LIMITS = {
  answerMemoryBytes: 1000,
  answerMemoryBytesPerNetwork: 300,
  answerStallMs: 5000,
  answerBytesPerSecond: 10,
}

function openMemory() {
  const closed: [Socket, string][] = []
  const memory = new AnswerMemory(LIMITS, (socket, reason) => closed.push([socket, reason]))
  const hold = (network: string | undefined, bytes: number, socket = new Socket()) => {
    memory.hold(socket, network, bytes, 0)
    return socket
  }
  return { memory, closed, hold }
}

test('the limit of a network is used up to the last byte, then its oldest responses give way, and only those', () => {
  const { memory, closed, hold } = openMemory()
  const other = hold('b', 300)
  const [first, second] = [hold('a', 100), hold('a', 200)]
  assert.equal(closed.length, 0)
  assert.equal(memory.bytes, 600)
  hold('a', 1)
  assert.deepEqual(closed, [[first, 'answer_memory']])
  hold('a', 200)
  assert.deepEqual(closed, [
    [first, 'answer_memory'],
    [second, 'answer_memory'],
  ])
  assert.equal(memory.bytes, 300 + 1 + 200)
  assert.ok(!closed.some(([socket]) => socket === other))
})

test('a response that is larger than a limit stays alone', () => {
  const { memory, closed, hold } = openMemory()
  const [before, large] = [hold('a', 10), hold('a', 5000)]
  assert.deepEqual(
    closed.map(([socket]) => socket),
    [before],
  )
  assert.equal(memory.bytes, 5000)
  memory.release(large)
  assert.equal(memory.bytes, 0)
})

test('behind a proxy only the limit of all together applies, and the oldest of all gives way', () => {
  const { memory, closed, hold } = openMemory()
  const oldest = hold('a', 100)
  hold(undefined, 450)
  hold(undefined, 450)
  assert.equal(closed.length, 0)
  assert.equal(memory.bytes, 1000)
  hold(undefined, 1)
  assert.deepEqual(closed, [[oldest, 'answer_memory']])
})

test('what was released counts no more, once; a second response of a connection replaces the first', () => {
  const { memory, closed, hold } = openMemory()
  const socket = hold('a', 300)
  hold('a', 200, socket)
  assert.equal(memory.bytes, 200)
  memory.release(socket)
  memory.release(socket)
  assert.equal(memory.bytes, 0)
  hold('a', 300)
  assert.equal(closed.length, 0)
})

test('a reader has the time of a stall and that of the minimum rate, and is disconnected then', () => {
  const { memory, closed, hold } = openMemory()
  const [slow, slower] = [hold('a', 20), hold('b', 30)]
  memory.closeDue(5000 + 2000 - 1)
  assert.equal(closed.length, 0)
  memory.closeDue(5000 + 2000)
  assert.deepEqual(closed, [[slow, 'stalled']])
  assert.equal(memory.bytes, 30)
  memory.closeDue(5000 + 3000)
  assert.deepEqual(closed[1], [slower, 'stalled'])
  assert.equal(memory.bytes, 0)
})
