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

/** Something is written that the client has not taken. */
function leaveUnread(socket: Socket): void {
  socket.cork()
  socket.write('x')
}

test('if all are being answered, the first one that does not read gives way, and if all read, the new one', () => {
  const { all, closed, add, tick } = openConnections(3, 100)
  const [reading, slow, slower] = [add('a'), add('b'), add('c')]
  for (const socket of [reading, slow, slower]) all.setState(socket, 'answering', tick())
  for (const socket of [slow, slower]) leaveUnread(socket)
  const third = add('d')
  all.setState(third, 'answering', tick())
  const fourth = add('e')
  all.setState(fourth, 'answering', tick())
  const refused = add('f')
  assert.deepEqual(closed, [
    [slow, 'limit'],
    [slower, 'limit'],
    [refused, 'limit'],
  ])
  assert.equal(all.size, 3)
  assert.equal(all.networkOf(refused), undefined)
})

test('in one network too, one that does not read gives way after all that wait for a request or send one', () => {
  const { all, closed, add, tick } = openConnections(100, 3)
  const [reading, unread, sending] = [add('a'), add('a'), add('a')]
  all.setState(reading, 'answering', tick())
  all.setState(unread, 'answering', tick())
  all.setState(sending, 'receiving', tick())
  leaveUnread(unread)
  for (let count = 0; count < 2; count++) all.setState(add('a'), 'answering', tick())
  const refused = add('a')
  assert.deepEqual(closed, [
    [sending, 'network_limit'],
    [unread, 'network_limit'],
    [refused, 'network_limit'],
  ])
  assert.equal(all.size, 3)
})

test('the limit of a network is for that network alone, and does not apply to a proxy', () => {
  const { all, closed, add } = openConnections(100, 2)
  for (let count = 0; count < 10; count++) add()
  for (const network of ['a', 'a', 'b', 'b']) add(network)
  assert.deepEqual([closed.length, all.size], [0, 14])
  add('b')
  assert.deepEqual([closed.length, all.size], [1, 14])
})

test('the longest in a state gives way, however its connection was used before', () => {
  const { all, closed, add, tick } = openConnections(3, 100)
  const [one, two, three] = [add('a'), add('a'), add('a')]
  for (const socket of [one, two, three]) all.setState(socket, 'receiving', tick())
  all.setState(one, 'answering', tick())
  all.setState(one, 'receiving', tick())
  add('a')
  assert.deepEqual(closed, [[two, 'limit']])
})

test('of those of a network that are idle since the same moment, the first gives way', () => {
  const { all, closed, add, tick } = openConnections(100, 2)
  const [one, two] = [add('a'), add('a')]
  const nowMs = tick()
  for (const socket of [one, two]) all.setState(socket, 'idle', nowMs)
  add('a')
  assert.deepEqual(closed, [[one, 'network_limit']])
})
