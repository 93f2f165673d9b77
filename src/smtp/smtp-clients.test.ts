import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SmtpClients } from './smtp-clients.ts'
import { SMTP_COSTS, SMTP_LIMITS } from './smtp-limits.ts'

const nothing = () => undefined

function admit(clients: SmtpClients, id: string, address: string) {
  const socket = { bytesRead: 0, destroyed: false }
  assert.equal(clients.admit(id, address, socket, nothing), undefined)
  return socket
}

/** Bytes of commands that use up the work of a network. */
const SPENDING_BYTES = SMTP_LIMITS.work.burstMs / SMTP_COSTS.otherByte

test('commands without end use up the work of a network, and of no other', () => {
  const clients = new SmtpClients(() => 0)
  const hostile = admit(clients, 'a', '2001:db8::1')
  admit(clients, 'b', '2001:db8::2')
  admit(clients, 'c', '192.0.2.1')
  hostile.bytesRead = SPENDING_BYTES / 2
  assert.deepEqual(
    clients.chargeAll(() => false),
    [],
  )
  hostile.bytesRead = SPENDING_BYTES
  assert.deepEqual(
    clients.chargeAll(() => false),
    ['a', 'b'],
  )
  assert.match(clients.admit('d', '2001:db8::3', hostile, nothing) ?? '', /Too much work/)
})

test('the bytes of a message cost little, but what is stripped from it counts as commands', () => {
  const clients = new SmtpClients(() => 0)
  const socket = admit(clients, 'a', '192.0.2.1')
  const client = clients.find('a')
  assert.ok(client)
  client.contentBytes = SMTP_LIMITS.messageBytes
  socket.bytesRead = SMTP_LIMITS.messageBytes
  assert.deepEqual(
    clients.chargeAll(() => true),
    [],
  )
  socket.bytesRead += 2 * SPENDING_BYTES
  assert.deepEqual(
    clients.chargeAll(() => true),
    ['a'],
  )
})

test('once the work for all is used up, only networks that have used little continue', () => {
  const clients = new SmtpClients(() => 0)
  for (let n = 0; n < 5; n++) clients.charge(`192.0.2.${n}`, SMTP_LIMITS.work.burstMs - 1)
  assert.equal(clients.isSpent('192.0.2.1'), true)
  assert.equal(clients.isSpent('198.51.100.1'), false)
  clients.charge('198.51.100.1', SMTP_LIMITS.littleWorkMs + 1)
  assert.equal(clients.isSpent('198.51.100.1'), true)
})

test('a connection that is gone no longer counts, even if nobody said so', () => {
  const clients = new SmtpClients(() => 0)
  const sockets = Array.from({ length: SMTP_LIMITS.connections.perNetwork }, (_, n) =>
    admit(clients, String(n), '192.0.2.1'),
  )
  assert.match(
    clients.admit('x', '192.0.2.1', { bytesRead: 0, destroyed: false }, nothing) ?? '',
    /Too many connections/,
  )
  for (const socket of sockets) socket.destroyed = true
  clients.chargeAll(() => false)
  admit(clients, 'y', '192.0.2.1')
})
