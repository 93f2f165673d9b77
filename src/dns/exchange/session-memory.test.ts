import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseEndpoint } from './endpoint.ts'
import { SessionMemory } from './session-memory.ts'

const [A, B, C] = ['192.0.2.1', '192.0.2.2', '192.0.2.1:5353'].map(parseEndpoint)

test('silence belongs to an address and a port', () => {
  assert.ok(A && B && C)
  const memory = new SessionMemory()
  memory.noteSilent(A)
  assert.deepEqual(
    [A, B, C].map((endpoint) => memory.wasSilent(endpoint)),
    [true, false, false],
  )
  assert.equal(memory.wasSilent({ ...A }), true)
})

test('a server is queried last if all its addresses were silent or slow; the order of the others stays', () => {
  assert.ok(A && B && C)
  const memory = new SessionMemory()
  const servers = [
    { name: 'silent and slow', endpoints: [A, B] },
    { name: 'one of two', endpoints: [A, C] },
    { name: 'good', endpoints: [C] },
  ]
  const order = () => memory.slowLast(servers, ({ endpoints }) => endpoints).map(({ name }) => name)
  assert.deepEqual(order(), ['silent and slow', 'one of two', 'good'])
  memory.noteSilent(A)
  assert.deepEqual(order(), ['silent and slow', 'one of two', 'good'])
  memory.noteSlow(B)
  assert.deepEqual(order(), ['one of two', 'good', 'silent and slow'])
})

test('a check is cut off from all zones if it missed one and has reached none', () => {
  const memory = new SessionMemory()
  assert.equal(memory.isCutOff, false)
  memory.noteZone({ isReached: false })
  assert.equal(memory.isCutOff, true)
  memory.noteZone({ isReached: true })
  assert.equal(memory.isCutOff, false)
  memory.noteZone({ isReached: false })
  assert.equal(memory.isCutOff, false)
})
