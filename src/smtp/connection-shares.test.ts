import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConnectionShares } from './connection-shares.ts'

const LIMITS = { total: 400, perNetwork: 50 }

/** How many connections the client gets. */
function takeAll(shares: ConnectionShares, addressOf: (n: number) => string): number {
  let taken = 0
  while (taken < 10_000 && shares.take(addressOf(taken))) taken += 1
  return taken
}

test('all addresses of a /64 are one client', () => {
  const shares = new ConnectionShares(LIMITS)
  assert.equal(
    takeAll(shares, (n) => `2001:db8:1:2::${n.toString(16)}`),
    50,
  )
  assert.ok(shares.take('2001:db8:9:9::1'))
  assert.ok(shares.take('192.0.2.1'))
})

test('the networks of one site cannot use up all connections', () => {
  const shares = new ConnectionShares(LIMITS)
  const taken = takeAll(shares, (n) => `2001:db8:1:${n.toString(16)}::1`)
  assert.ok(taken > 50 && taken < 200, String(taken))
  const other = takeAll(shares, (n) => `198.51.100.${n % 250}`)
  assert.ok(other > 50 && other < 200, String(other))
  assert.ok(shares.take('203.0.113.1'))
})

test('connections are free again when they are given back, in any order', () => {
  const shares = new ConnectionShares(LIMITS)
  for (let round = 0; round < 3; round++) {
    const taken = takeAll(shares, (n) => `::ffff:192.0.2.${n % 4}`)
    assert.ok(taken >= 50)
    for (let n = 0; n < taken; n++) shares.giveBack(`192.0.2.${n % 4}`)
  }
  assert.equal(
    takeAll(shares, () => '192.0.2.1'),
    50,
  )
})

test('there are never more than the total', () => {
  const shares = new ConnectionShares({ total: 40, perNetwork: 50 })
  assert.equal(
    takeAll(shares, (n) => `${n % 200}.${n % 7}.${n % 11}.1`),
    40,
  )
})
