import assert from 'node:assert/strict'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { Connections } from './connections.ts'

function openConnections(connections: number, connectionsPerNetwork: number) {
  const closed: [Socket, string][] = []
  const all = new Connections({ connections, connectionsPerNetwork }, (socket, reason) => closed.push([socket, reason]))
  let nowMs = 0
  const add = (network?: string) => {
    const socket = new Socket()
    all.add(socket, network, ++nowMs)
    return socket
  }
  return { all, closed, add, tick: () => ++nowMs }
}

test('a connection that has ended frees its place, altogether and in its network', () => {
  const { all, closed, add } = openConnections(3, 2)
  for (let round = 0; round < 5; round++) {
    const sockets = [add('a'), add('a'), add('b')]
    assert.equal(all.size, 3)
    for (const socket of sockets) socket.emit('close')
    assert.equal(all.size, 0)
  }
  assert.equal(closed.length, 0)
})

test('one that was closed for another does not count twice when it ends', () => {
  const { all, closed, add } = openConnections(2, 2)
  const [first, second] = [add('a'), add('b')]
  add('c')
  assert.deepEqual(closed, [[first, 'limit']])
  first.emit('close')
  assert.equal(all.size, 2)
  second.emit('close')
  assert.equal(all.size, 1)
})

test('of one network the idle ones give way first, then those that send, the longest in this state first', () => {
  const { all, closed, add, tick } = openConnections(100, 4)
  const [busy, sending, recent, idle] = [add('a'), add('a'), add('a'), add('a')]
  all.setState(busy, 'answering', tick())
  all.setState(sending, 'receiving', tick())
  all.setState(recent, 'receiving', tick())
  all.setState(recent, 'idle', tick())
  const given: Socket[] = []
  const newcomers = Array.from({ length: 4 }, () => {
    const socket = add('a')
    all.setState(socket, 'answering', tick())
    given.push(...closed.splice(0).map(([one]) => one))
    return socket
  })
  // The last one finds all others being answered and read.
  assert.deepEqual(given, [idle, recent, sending, newcomers[3]])
})

test('a state of a connection that is not known changes nothing', () => {
  const { all, add, tick } = openConnections(2, 2)
  const gone = add('a')
  gone.emit('close')
  all.setState(gone, 'receiving', tick())
  assert.equal(all.size, 0)
  assert.equal(all.networkOf(gone), undefined)
  assert.equal(all.networkOf(add('b')), 'b')
})

test('idle connections are closed from the given time on, and no others', () => {
  const { all, closed, add, tick } = openConnections(10, 10)
  const [old, used, young, sending] = [add('a'), add('a'), add('a'), add('a')]
  all.setState(sending, 'receiving', tick())
  all.setState(used, 'answering', tick())
  all.setState(used, 'idle', tick())
  // The times of their additions are 1 to 4, and `used` is idle since 7.
  all.closeIdle(3)
  assert.deepEqual(
    closed.map(([socket, reason]) => [socket === old || socket === young, reason]),
    [
      [true, 'idle'],
      [true, 'idle'],
    ],
  )
  assert.equal(all.size, 2)
})
