/** A row is taken for one of ours only if every column can be. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { EVENT_TYPES } from '../../../events/event.ts'
import type { SqlValue } from '../database/database.ts'
import { recognize, toObject } from './day-rows.ts'

const BYTES = Uint8Array.of(1, 2)
const POSITIONS = 86_400 * 2 ** 32
const INSTALLATION = '0123456789abcdef'.repeat(2)
const TYPE_MAX = EVENT_TYPES.length - 1

function tableOf(values: readonly SqlValue[], rowid?: number): string | undefined {
  return recognize({ values, rowid })?.table
}

/** A row of each table, and by column the values that it cannot have. Null where it can have anything. */
const ROWS: readonly {
  readonly what: string
  readonly table: string
  readonly rowid?: number
  readonly values: readonly SqlValue[]
  readonly wrong: readonly (readonly SqlValue[])[]
}[] = [
  {
    what: 'an identity',
    table: 'identity',
    rowid: 1,
    values: [INSTALLATION, '2026-03-01'],
    wrong: [
      ['', null, 1, `${INSTALLATION}0`, INSTALLATION.slice(1), INSTALLATION.toUpperCase()],
      ['', null, 1, '2026-13-01', '2026-03-01 '],
    ],
  },
  {
    what: 'a circumstance',
    table: 'circumstance',
    rowid: 7,
    values: [null, ',"a":1'],
    wrong: [
      [0, ''],
      [null, 1, BYTES, '"a":1', ',"a":', ',a'],
    ],
  },
  {
    what: 'a batch of arrivals',
    table: 'arrival_batch',
    rowid: 7,
    values: [null, 5, BYTES],
    wrong: [
      [0, 'x'],
      [-1, null, 'x'],
      [null, 'x', 1],
    ],
  },
  {
    what: 'a mailing with a From',
    table: 'mailing',
    rowid: 7,
    values: [null, 'a@b.test', ',"from":"a@b.test"'],
    wrong: [[0], [1, BYTES], [null, 1, ',"a":', ',"']],
  },
  {
    what: 'a mailing without',
    table: 'mailing',
    rowid: 7,
    values: [null, null, ''],
    wrong: [[0], [1], [null, 'x', 1]],
  },
  {
    what: 'a claim of a domain',
    table: 'domain_claim',
    rowid: 7,
    values: [null, 'dom_1', 'a.test'],
    wrong: [
      [1, 'x'],
      [1, BYTES],
      [null, 1, 'a1'.repeat(32)],
    ],
  },
  {
    what: 'an origin',
    table: 'origin',
    rowid: 7,
    values: [null, '192.0.2.1', 'mta', ''],
    wrong: [
      ['x', -1],
      [null, 1],
      [null, 1],
      [null, 1],
    ],
  },
  {
    what: 'the state of a day',
    table: 'day',
    rowid: 1,
    values: [5, 0, 0, 1],
    wrong: [
      [null, -1, 'x'],
      [null, -1, 'x'],
      [null, -1, 'x'],
      [null, -1, 2, 'x'],
    ],
  },
  {
    what: 'a message',
    table: 'message',
    rowid: 7,
    values: [null, 'id', 'a@b.test', 's@b.test', 'subject', 'service', 10, 1, 2, 3],
    wrong: [
      [0, 'x'],
      [null, 1],
      [null, 1],
      [1],
      [1],
      [1],
      [-1, 'x'],
      [null, -1, 'x'],
      [null, -1, 'x'],
      [null, -1, 'x'],
    ],
  },
  {
    what: 'a circumstance, in its index',
    table: 'circumstance',
    values: [',"a":1', 7],
    wrong: [
      ['', 1, null, 'x'],
      [-1, null, 'x'],
    ],
  },
  {
    what: 'a mailing, in its index',
    table: 'mailing',
    values: [',"campaign":"c"', 7],
    wrong: [
      ['', 1, null, ',"campaign":'],
      [-1, null, 'x'],
    ],
  },
  {
    what: 'an origin, in its index',
    table: 'origin',
    values: ['192.0.2.1', '', '', 7],
    wrong: [[null], [null, 1], [null, 1], [-1, null, 'x']],
  },
  {
    what: 'a counter',
    table: 'counter',
    values: [1, TYPE_MAX, 3, 1e12],
    wrong: [
      [-1, null, 'x'],
      [-1, null, TYPE_MAX + 1],
      [-1, null, 'x'],
      [-1, null, 'x', 1e12 - 1, 1e13 + 1],
    ],
  },
  {
    what: 'an event',
    table: 'event',
    values: [1, POSITIONS - 1, TYPE_MAX, 250, 5, 'ok', 6, 7, 8, 9],
    wrong: [
      [-1, null, 'x'],
      [-1, null, 'x', POSITIONS],
      [-1, null, 'x', TYPE_MAX + 1],
      [-1, 'x'],
      [-1, null, 'x'],
      [1, BYTES],
      [-1, null, 'x'],
      [-1, null, 'x'],
    ],
  },
]

describe('a row', () => {
  for (const { what, table, rowid, values, wrong } of ROWS) {
    test(`${what} is recognized, and with a wrong value in any column it is not`, () => {
      assert.equal(tableOf(values, rowid), table)
      for (const [column, others] of wrong.entries()) {
        for (const other of others) {
          assert.notEqual(tableOf(values.with(column, other), rowid), table, `column ${column}: ${String(other)}`)
        }
      }
      assert.notEqual(tableOf([...values, 'x', 'x', 'x'], rowid), table)
      assert.notEqual(tableOf(values.slice(0, -3), rowid), table)
    })
  }

  test('that has the columns of none is not ours', () => {
    for (const length of [0, 1, 5, 6, 7, 11]) {
      assert.equal(tableOf(Array.from({ length }, () => 1)), undefined)
      assert.equal(
        tableOf(
          Array.from({ length }, () => null),
          1,
        ),
        undefined,
      )
    }
  })
})

test('what a row says is taken from its columns and its number', () => {
  const of = (values: readonly SqlValue[], rowid?: number) => recognize({ values, rowid })
  assert.deepEqual(of([INSTALLATION, '2026-03-01'], 1), {
    table: 'identity',
    identity: { installation: INSTALLATION, day: '2026-03-01' },
  })
  assert.deepEqual(of([null, 5, BYTES], 7), { table: 'arrival_batch', first: 7, storedAtMs: 5, events: BYTES })
  assert.deepEqual(of([null, 'dom_1', 'a.test'], 7), {
    table: 'domain_claim',
    claim: { number: 7, id: 'dom_1', name: 'a.test' },
  })
  assert.deepEqual(of([null, 'a', 'b', 'c'], 7), { table: 'origin', key: 7, parts: ['a', 'b', 'c'] })
  assert.deepEqual(of(['a', 'b', 'c', 7]), { table: 'origin', key: 7, parts: ['a', 'b', 'c'] })
  assert.deepEqual(of([5, 6, 0, 0], 1), { table: 'day', arrival: 5, message: 6, closed: 0 })
  assert.deepEqual(of([1, 2, 3, 1e13]), { table: 'counter', domain: 1, type: 2, changedAtMs: 1e13 })
  assert.deepEqual(of(['', 7]), undefined, 'an empty text in an index may be of either table')
  assert.deepEqual(of([null, ''], 7), { table: 'circumstance', key: 7, members: '' })
  const message = { sender: null, subject: null, serviceMessageId: null, size: null, mailing: 0, plain: 0, identity: 0 }
  assert.deepEqual(of([null, 'id', 'r', null, null, null, null, 0, 0, 0], 7), {
    table: 'message',
    message: { key: 7, id: 'id', recipient: 'r', ...message },
  })
})

test('the last two columns of an event may be missing, and are null if they are not numbers', () => {
  const own = [1, 0, 0, null, 0, null, 0, 0]
  const expected = {
    domain: 1,
    position: 0,
    type: 0,
    responseCode: null,
    message: 0,
    content: null,
    circumstance: 0,
    key: 0,
  }
  for (const [more, origin, retryAfter] of [
    [[], null, null],
    [[8], 8, null],
    [[8, 9], 8, 9],
    [['x', 9], null, 9],
    [[8, -1], 8, null],
  ] as const) {
    const event = { ...expected, origin, retryAfter }
    assert.deepEqual(recognize({ rowid: undefined, values: [...own, ...more] }), { table: 'event', event })
  }
})

test('members are those of a JSON object, each after a comma', () => {
  assert.deepEqual(toObject(',"a":1,"b":"c"'), { a: 1, b: 'c' })
  assert.deepEqual(toObject(''), {})
  for (const text of ['"a":1', ',"a":', ',{}', 'x', ', "a":1']) assert.equal(toObject(text), undefined, text)
})
