import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ArrivalPage } from '../../../../events/log/event-log.ts'
import type { LogDomain } from '../../../../events/log/log-query.ts'
import { Slots } from '../../../../lib/turns/slots.ts'
import { Follower } from './follower.ts'

const DOMAINS: readonly LogDomain[] = [{ number: 1, name: 'a.test' }]
const EMPTY: ArrivalPage = { events: [], position: 'p', hasMore: false }

function openFollower(lookUp: () => Promise<readonly LogDomain[]> = async () => DOMAINS): Follower {
  return new Follower(lookUp, new Slots({ runningMax: 1 }))
}

test('a new stream reads first, then waits for an arrival', async () => {
  const follower = openFollower()
  assert.equal(await follower.next(), 'read')
  assert.equal(await follower.next(), 'read', 'it has not read yet')
  await follower.read(async () => EMPTY)
  const next = follower.next()
  follower.arrive()
  assert.equal(await next, 'read')
})

test('an arrival during a read leads to another read, and so does a page that is not the last', async () => {
  const follower = openFollower()
  await follower.read(async () => {
    follower.arrive()
    return EMPTY
  })
  assert.equal(await follower.next(), 'read')
  await follower.read(async () => ({ ...EMPTY, hasMore: true }))
  assert.equal(await follower.next(), 'read')
  await follower.read(async () => EMPTY)
  follower.beat()
  assert.equal(await follower.next(), 'heartbeat')
})

test('a heartbeat is sent once, and not if events were sent meanwhile', async () => {
  const follower = openFollower()
  const silentSince = follower.spokenAtMs
  follower.beat()
  assert.equal(await follower.next(), 'heartbeat')
  assert.ok(follower.spokenAtMs > silentSince)
  assert.equal(await follower.next(), 'read')
  follower.beat()
  await follower.read(async () => ({ ...EMPTY, events: [{ position: 'p', text: '{}' }] }))
  const next = follower.next()
  follower.end()
  assert.equal(await next, 'end')
})

test('the first reason for which it ends counts', async () => {
  const follower = openFollower()
  follower.end(new Error('no disk'))
  follower.end()
  await assert.rejects(follower.next(), { message: 'the stream cannot continue', cause: new Error('no disk') })
  const other = openFollower()
  other.end()
  other.end(new Error('too late'))
  assert.equal(await other.next(), 'end')
})

test('a read is repeated if the domains changed while it ran', async () => {
  const lists = [DOMAINS, [...DOMAINS], DOMAINS, DOMAINS]
  const follower = openFollower(async () => lists.shift() ?? DOMAINS)
  let reads = 0
  await follower.read(async () => {
    reads++
    return EMPTY
  })
  assert.equal(reads, 2)
})

test('reads of one tenant share their slots', async () => {
  const slots = new Slots({ runningMax: 1 })
  const [one, other] = [1, 2].map(() => new Follower(async () => DOMAINS, slots))
  const reading = Promise.withResolvers<ArrivalPage>()
  let others = 0
  const first = one?.read(() => reading.promise)
  const second = other?.read(async () => {
    others++
    return EMPTY
  })
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(others, 0)
  reading.resolve(EMPTY)
  await first
  await second
  assert.equal(others, 1)
})

test('an idle stream moves on to a later position if nothing has arrived for it, and only to one taken after its read', async () => {
  const follower = openFollower()
  const settled = (takenAtMs: number) => ({ position: 'later', takenAtMs, announcements: 0 })
  assert.equal(follower.moveOn('own', settled(Infinity)), 'own', 'it has not read yet')
  await follower.read(async () => EMPTY)
  assert.equal(follower.moveOn('own', undefined), 'own')
  assert.equal(follower.moveOn('own', settled(0)), 'own')
  assert.equal(follower.moveOn('own', settled(Infinity)), 'later')
  follower.arrive()
  assert.equal(follower.moveOn('own', settled(Infinity)), 'own')
})
