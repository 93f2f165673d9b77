/** The numbers and texts that stand for something else in a day's file: they are read back as they were written. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import { splitOriginText, toOriginText } from '../../rows/origin-text.ts'
import { Database } from '../database/database.ts'
import { eventKey } from '../writing/event-row.ts'
import {
  dayOfTimestamp,
  endOfDayMs,
  fromPosition,
  isDay,
  positionRange,
  secondOfDay,
  startOfDay,
  toPosition,
} from './day.ts'
import { requireEndingPart, splitEndingKey } from './ending-key.ts'
import { identityOf } from './message-identity.ts'
import { domainOfMessageKey, numberOfMessageKey, toMessageKey } from './message-key.ts'
import { countChangedRows, isStoredEvent, isStoredMessage } from './row-hashes.ts'

/** 2026-03-01, midnight. */
const START = 1_772_323_200
const LAST_ARRIVAL = 2 ** 32 - 1

test('a day is the one of its timestamps, from its first second to its last', () => {
  for (const [timestamp, day] of [
    [START - 1, '2026-02-28'],
    [START, '2026-03-01'],
    [START + 86_399, '2026-03-01'],
    [START + 86_400, '2026-03-02'],
    [0, '1970-01-01'],
  ] as const) {
    assert.equal(dayOfTimestamp(timestamp), day)
  }
  assert.equal(startOfDay('2026-03-01'), START)
  assert.equal(endOfDayMs('2026-03-01'), (START + 86_400) * 1000)
  assert.deepEqual([START, START + 86_399].map(secondOfDay), [0, 86_399])
})

test('a day is written with four, two and two digits, and exists', () => {
  for (const text of ['2026-03-01', '2024-02-29', '1970-01-01']) assert.ok(isDay(text), text)
  for (const text of ['2026-13-01', '2026-3-1', '2026-03-01T00', ' 2026-03-01', '', '02026-03-01'])
    assert.ok(!isDay(text), text)
})

test('a position is second and arrival, in this order', () => {
  for (const [second, arrival] of [
    [0, 1],
    [86_399, LAST_ARRIVAL],
    [12, 0],
  ] as const) {
    assert.deepEqual(fromPosition(toPosition(second, arrival)), { secondOfDay: second, arrival })
  }
  assert.ok(toPosition(5, LAST_ARRIVAL) < toPosition(6, 0))
})

test('the positions of a window are those of its seconds on the day, both ends included', () => {
  const all = { from: 0, to: toPosition(86_400, 0) }
  assert.deepEqual(positionRange('2026-03-01', START, START + 86_399), all)
  assert.deepEqual(positionRange('2026-03-01', 0, START * 2), all)
  assert.deepEqual(positionRange('2026-03-01', START - 1, START + 86_400), all)
  assert.deepEqual(positionRange('2026-03-01', START + 5, START + 5), { from: toPosition(5, 0), to: toPosition(6, 0) })
})

test('the key of a message is its domain and number; numbers that do not fit are refused', () => {
  const most = 2 ** 28 - 1
  for (const [domain, number] of [
    [0, 0],
    [1, most],
    [2 ** 25 - 1, most],
    [7, 1],
  ] as const) {
    const key = toMessageKey(domain, number)
    assert.deepEqual([domainOfMessageKey(key), numberOfMessageKey(key)], [domain, number])
  }
  assert.throws(() => toMessageKey(0, most + 1), RangeError)
  assert.throws(() => toMessageKey(2 ** 25, 0), RangeError)
})

test('two texts at the end of an event are one number', () => {
  const most = 2 ** 26 - 1
  assert.deepEqual(splitEndingKey(5 * 2 ** 26 + most), { mailing: 5, circumstance: most })
  assert.deepEqual(splitEndingKey(0), { mailing: 0, circumstance: 0 })
  assert.equal(requireEndingPart(most), most)
  assert.throws(() => requireEndingPart(most + 1), RangeError)
})

test('an origin has three parts, any of which may be missing; without all of them it is empty', () => {
  for (const parts of [
    ['192.0.2.1', 'mta', 'pool'],
    ['192.0.2.1', '', ''],
    ['', 'mta', ''],
    ['', '', 'pool'],
  ] as const) {
    const [sending_address, sending_source, sending_pool] = parts
    assert.deepEqual(splitOriginText(toOriginText({ sending_address, sending_source, sending_pool })), parts)
  }
  assert.equal(toOriginText({}), '')
  assert.equal(toOriginText({ sending_pool: 'pool' }), '\n\npool')
})

test('an event is what was stored if its hash says so, or one of the fifteen that follow', () => {
  const own = { position: toPosition(100, 7), type: 3, responseCode: 550, content: 'a \\"b\\"' }
  const hash = eventKey(100, 3, 550, 'a "b"', ',"c":1')
  const isStored = (changes: Partial<typeof own>, key = hash) => isStoredEvent({ ...own, key, ...changes }, ',"c":1')
  assert.deepEqual(
    [-1, 0, 15, 16].map((more) => isStored({}, hash + more)),
    [false, true, true, false],
  )
  assert.ok(isStored({ position: toPosition(100, 8) }), 'the arrival does not belong to it')
  for (const changes of [
    { position: toPosition(101, 7) },
    { type: 4 },
    { responseCode: 551 },
    { content: 'a' },
    { content: 'a "b"' },
  ]) {
    assert.ok(!isStored(changes), JSON.stringify(changes))
  }
  assert.ok(!isStoredEvent({ ...own, key: hash }, ',"c":2'))
  const bare = { ...own, content: null, responseCode: null, key: eventKey(100, 3, null, null, '') }
  assert.ok(isStoredEvent(bare, ''))
})

test('a message is what was stored if the hash of all its parts says so', () => {
  const parts = { id: 'i', recipient: 'r', sender: 's', subject: null, serviceMessageId: null, size: 5 }
  const message = { ...parts, identity: identityOf('i', 'r\ns\nnull\nnull\n5,"m":1') }
  assert.ok(isStoredMessage(message, ',"m":1'))
  for (const change of [
    { id: 'j' },
    { recipient: 'x' },
    { sender: null },
    { subject: 'x' },
    { serviceMessageId: 'x' },
    { size: 6 },
  ]) {
    assert.ok(!isStoredMessage({ ...message, ...change }, ',"m":1'), JSON.stringify(change))
  }
  assert.ok(!isStoredMessage(message, ',"m":2'))
})

test('every row of a day is compared with its hash, however many there are', () => {
  using folder = openTemporaryFolder()
  using db = new Database(join(folder.path, 'x.db'))
  db.execute(`CREATE TABLE mailing (key INTEGER PRIMARY KEY, members TEXT);
    CREATE TABLE circumstance (key INTEGER PRIMARY KEY, members TEXT);
    CREATE TABLE message (key INTEGER PRIMARY KEY, id, recipient, sender, subject, service_message_id, size, identity, mailing);
    CREATE TABLE event (domain, position, type, response_code, content, key, circumstance, PRIMARY KEY (domain, position));
    INSERT INTO mailing VALUES (1, ',"m":1'); INSERT INTO circumstance VALUES (1, ',"c":1')`)
  const rows = 10_000
  const identity = identityOf('i', 'r\nnull\nnull\nnull\nnull,"m":1')
  db.transaction(() => {
    for (let row = 0; row < rows; row++) {
      db.run('INSERT INTO message VALUES (?, ?, ?, NULL, NULL, NULL, NULL, ?, 1)', row, 'i', 'r', identity)
      const [domain, second] = [Math.floor(row / 100), row % 100]
      const key = eventKey(second, 0, null, null, ',"c":1')
      db.run('INSERT INTO event VALUES (?, ?, 0, NULL, NULL, ?, 1)', domain, toPosition(second, 0), key)
    }
  })
  assert.equal(countChangedRows(db), 0)
  for (const [index, row] of [0, 4999, 5000, 9999].entries()) {
    db.run('UPDATE message SET recipient = ? WHERE key = ?', 'x', row)
    assert.equal(countChangedRows(db), 3 * index + 1)
    const [domain, position] = [Math.floor(row / 100), toPosition(row % 100, 0)]
    db.run('UPDATE event SET content = ? WHERE domain = ? AND position = ?', 'x', domain, position)
    assert.equal(countChangedRows(db), 3 * index + 2)
    // A text that it refers to is gone.
    db.run(
      'UPDATE event SET circumstance = 2 WHERE domain = ? AND position = ?',
      domain,
      toPosition((row + 1) % 100, 0),
    )
    assert.equal(countChangedRows(db), 3 * index + 3)
  }
  db.run('DELETE FROM mailing')
  assert.equal(countChangedRows(db), rows + 8)
})
