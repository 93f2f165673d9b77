import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { KnownTime } from '../lib/clock.ts'
import { known } from '../lib/known.ts'
import { writeToken } from '../lib/sealing/sealed-token.ts'
import { createSealer } from '../lib/sealing/sealer.ts'
import { openMemoryStorage } from '../storage/memory/open-memory-storage.ts'
import { createSessions, isSameCsrfToken, SESSION_MS } from './session.ts'

const SECRET = Buffer.alloc(32, 7)
const DAY_MS = 24 * 3600 * 1000
const START_MS = 1_700_000_000_000

const { control } = openMemoryStorage({ clock: () => 0, serviceMessageIdField: 'service_message_id' })

function open(nowMs = START_MS, purpose = 'session', store = control.sessions, knownTime?: KnownTime) {
  const clock = { nowMs }
  const access = { id: 'access' }
  const sealer = createSealer(SECRET, purpose)
  const time = { clock: () => clock.nowMs, ...known({ knownTime }) }
  const sessions = createSessions({ sealer, accessId: () => access.id, store, ...time })
  return { clock, access, sealer, sessions }
}

test('a session is readable by another process of the installation, and contains nothing in clear text', async () => {
  const { token, ...session } = await open().sessions.issue('key1')
  assert.deepEqual(await open().sessions.read(token), session)
  assert(!Buffer.from(token, 'base64url').toString('latin1').includes('key1'))
})

test('a session ends after twelve hours to the millisecond', async () => {
  const { clock, sessions } = open()
  const { token } = await sessions.issue('key1')
  clock.nowMs += SESSION_MS - 1
  assert(await sessions.read(token))
  clock.nowMs += 1
  assert.equal(await sessions.read(token), undefined)
})

test('no session lasts longer or begins later than an issued one could, whatever was sealed', async () => {
  const { sealer, sessions } = open()
  const { token: _, accessId: __, ...issued } = await sessions.issue('key1')
  const isRead = async (changes: object) =>
    (await sessions.read(writeToken(sealer, { layout: 2, ...issued, ...changes }))) !== undefined
  for (const changes of [{}, { issuedAtMs: START_MS + 60_000 }, { expiresAtMs: START_MS + SESSION_MS + 60_000 }]) {
    assert(await isRead(changes), JSON.stringify(changes))
  }
  const year = START_MS + 365 * DAY_MS
  for (const changes of [
    { expiresAtMs: year },
    { expiresAtMs: START_MS + SESSION_MS + 60_001 },
    { issuedAtMs: START_MS + 60_001 },
    { issuedAtMs: year, expiresAtMs: year + SESSION_MS },
    { expiresAtMs: Number.POSITIVE_INFINITY },
    { expiresAtMs: 'never' },
    { issuedAtMs: undefined },
    { layout: 1 },
    { epoch: 1 },
  ]) {
    assert(!(await isRead(changes)), JSON.stringify(changes))
  }
})

test('a clock that is corrected by some seconds ends no session; one that is set back by a day does', async () => {
  const { clock, sessions } = open()
  const { token } = await sessions.issue('key1')
  clock.nowMs -= 30_000
  assert(await sessions.read(token))
  clock.nowMs = START_MS - DAY_MS
  assert.equal(await sessions.read(token), undefined)
})

test('a modified token, or a token sealed for another purpose, is not a session', async () => {
  const { sessions } = open()
  const { token } = await sessions.issue('key1')
  for (let at = 0; at < token.length; at++) {
    const changed = `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`
    assert.equal(await sessions.read(changed), undefined, String(at))
  }
  const foreign = await open(START_MS, 'cursor').sessions.issue('key1')
  for (const other of ['', 'rubbish', `${token}=`, `${token}A`, foreign.token]) {
    assert.equal(await sessions.read(other), undefined)
  }
})

test('two sessions of a key differ in token, id and CSRF token', async () => {
  const { sessions } = open()
  const [one, other] = [await sessions.issue('key1'), await sessions.issue('key1')]
  assert.notEqual(one.token, other.token)
  assert.notEqual(one.id, other.id)
  assert.notEqual(one.csrfToken, other.csrfToken)
})

describe('ending', () => {
  const fresh = () => openMemoryStorage({ clock: () => 0, serviceMessageIdField: 'x' }).control.sessions

  test('one session ends it everywhere and no other', async () => {
    const store = fresh()
    const { sessions } = open(START_MS, 'session', store)
    const [one, other] = [await sessions.issue('key1'), await sessions.issue('key1')]
    await sessions.end(one)
    await sessions.end(one)
    assert.equal((await store.findSessions('key1')).ended.length, 1)
    for (const { sessions: anywhere } of [open(START_MS, 'session', store), { sessions }]) {
      assert.equal(await anywhere.read(one.token), undefined)
      assert(!(await anywhere.isLive(one)))
      assert(await anywhere.read(other.token))
      assert(await anywhere.isLive(other))
    }
  })

  test('all sessions of a key leaves other keys and later sessions alone, whatever the clock says', async () => {
    const store = fresh()
    const { clock, sessions } = open(START_MS, 'session', store)
    const [one, other] = [await sessions.issue('key1'), await sessions.issue('key2')]
    await sessions.endAll('key1')
    assert.deepEqual(await store.findSessions('key1'), { epoch: 1, ended: [] })
    assert.equal(await sessions.read(one.token), undefined)
    assert(await sessions.read(other.token))
    clock.nowMs -= DAY_MS
    const later = await sessions.issue('key1')
    assert(await sessions.read(later.token))
    // Whoever ends an old one again neither revives it nor ends the later ones.
    await sessions.end(one)
    assert.equal(await sessions.read(one.token), undefined)
    assert(await sessions.read(later.token))
  })

  test('by many at once loses none of them', async () => {
    const { sessions } = open(START_MS, 'session', fresh())
    const issued = await Promise.all(Array.from({ length: 20 }, () => sessions.issue('key1')))
    await Promise.all(issued.map((session) => sessions.end(session)))
    for (const { token } of issued) assert.equal(await sessions.read(token), undefined)
  })

  test('more sessions of a key than are stored ends all of them, so that none comes back', async () => {
    const store = fresh()
    const { sessions } = open(START_MS, 'session', store)
    const kept = await sessions.issue('key1')
    const ended: string[] = []
    for (let index = 0; index < 201; index++) {
      const session = await sessions.issue('key1')
      ended.push(session.token)
      await sessions.end(session)
      assert((await store.findSessions('key1')).ended.length <= 200)
    }
    for (const token of [...ended, kept.token]) assert.equal(await sessions.read(token), undefined)
    assert(await sessions.read((await sessions.issue('key1')).token))
  })

  test('is remembered beyond the expiry, so that a clock that was a day fast revives nothing', async () => {
    const { clock, sessions } = open(START_MS, 'session', fresh())
    const one = await sessions.issue('key1')
    await sessions.end(one)
    clock.nowMs += DAY_MS
    await sessions.end(await sessions.issue('key1'))
    clock.nowMs -= DAY_MS
    assert.equal(await sessions.read(one.token), undefined)
  })

  test('is remembered while a clock that is far ahead is doubted, so that its correction revives nothing', async () => {
    const knownTime = { earliestMs: START_MS, latestMs: START_MS + 100 * DAY_MS }
    const { clock, sessions } = open(START_MS, 'session', fresh(), knownTime)
    const one = await sessions.issue('key1')
    await sessions.end(one)
    clock.nowMs += 100 * DAY_MS
    await sessions.end(await sessions.issue('key1'))
    clock.nowMs -= 100 * DAY_MS
    assert.equal(await sessions.read(one.token), undefined)
  })

  test('is forgotten a week after the expiry', async () => {
    const store = fresh()
    const { clock, sessions } = open(START_MS, 'session', store)
    await sessions.end(await sessions.issue('key1'))
    clock.nowMs += SESSION_MS + 7 * DAY_MS - 1
    await sessions.end(await sessions.issue('key1'))
    assert.equal((await store.findSessions('key1')).ended.length, 2)
    clock.nowMs += 1
    await sessions.end(await sessions.issue('key1'))
    assert.equal((await store.findSessions('key1')).ended.length, 2)
  })

  test('all sessions by another access secret includes those that were read before', async () => {
    const { access, sessions } = open(START_MS, 'session', fresh())
    const session = await sessions.issue('key1')
    assert(await sessions.isLive(session))
    access.id = 'another'
    assert(!(await sessions.isLive(session)))
  })
})

test('only the exact CSRF token is accepted', async () => {
  const { csrfToken } = await open().sessions.issue('key1')
  assert(isSameCsrfToken(csrfToken, csrfToken))
  for (const presented of [undefined, '', `${csrfToken} `, csrfToken.toLowerCase(), csrfToken.slice(1)]) {
    assert(!isSameCsrfToken(csrfToken, presented))
  }
  assert(!isSameCsrfToken('', undefined))
})
