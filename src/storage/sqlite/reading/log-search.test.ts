import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { LogFilters } from '../../../events/log/log-query.ts'
import { toLogSearch } from './log-search.ts'

const PARTS: Readonly<Record<string, readonly LogFilters[]>> = {
  types: [{}, { types: ['Bounce'] }, { types: ['Bounce', 'Delivery'] }, { without: { types: ['Bounce'] } }],
  codes: [
    {},
    { codes: [{ from: 550, to: 550 }] },
    { codes: [{ from: 250, to: 250 }] },
    { codes: [{ from: 500, to: 599 }] },
    { codes: [{ from: 200, to: 299 }] },
    {
      codes: [
        { from: 421, to: 421 },
        { from: 500, to: 599 },
      ],
    },
  ],
  texts: [{}, { recipient: 'anna' }, { anyText: 'anna', subject: 'letter' }, { messageId: 'm1' }],
  members: [{}, { providers: ['A', 'B'] }, { classifications: ['C'], answers: ['no'] }, { sendingPools: ['p'] }],
}

/** Every combination. */
const ALL = Object.values(PARTS).reduce<readonly LogFilters[]>(
  (before, part) => before.flatMap((filters) => part.map((more) => ({ ...filters, ...more }))),
  [{}],
)

test('searches of the same shape have the same statements, whatever index they use', () => {
  const known = new Map<string, string>()
  for (const filters of ALL) {
    const { shape, residuals } = toLogSearch(filters)
    const texts = JSON.stringify(Object.values(residuals).map(({ sql }) => sql))
    assert.equal(known.get(shape) ?? texts, texts, JSON.stringify(filters))
    known.set(shape, texts)
    assert.equal(toLogSearch(filters, 'sending').shape === shape, false)
  }
  assert.ok(known.size > 50)
})

test('a condition has a value for each of its places', () => {
  for (const filters of [...ALL, { without: { codes: [{ from: 1, to: 9 }], answers: ['a'], providers: ['x'] } }]) {
    const { residuals, ofMessage } = toLogSearch(filters)
    for (const { sql, values } of [...Object.values(residuals), ofMessage]) {
      assert.equal(sql.split('?').length - 1, values.length, sql)
    }
  }
})

describe('an index of codes is used', () => {
  const indexed = (...codes: readonly (readonly [number, number])[]) => {
    const search = toLogSearch({ codes: codes.map(([from, to]) => ({ from, to })) })
    return [search.onlyCode, search.codes !== undefined, search.residuals.event_by_code.sql !== '']
  }

  test('for a single code it leaves nothing to check', () => {
    assert.deepEqual(indexed([550, 550]), [550, true, false])
    assert.deepEqual(indexed([550, 551]), [undefined, true, true])
    assert.deepEqual(indexed([550, 550], [551, 551]), [undefined, true, true])
  })

  test('but not for the code that it does not have, nor for a range around it', () => {
    assert.deepEqual(indexed([250, 250]), [undefined, false, true])
    for (const range of [
      [200, 250],
      [250, 299],
      [200, 299],
    ] as const)
      assert.deepEqual(indexed(range), [undefined, false, true])
    assert.deepEqual(indexed([550, 550], [250, 250]), [undefined, false, true])
    assert.deepEqual(indexed([200, 249], [251, 299]), [undefined, true, true])
    assert.deepEqual(toLogSearch({}).codes, undefined)
  })
})

test('conditions are combined as they are meant, and each is checked where an index does not answer it', () => {
  const { residuals, ofMessage } = toLogSearch({
    types: ['Bounce'],
    providers: ['A', 'B'],
    messageId: 'm1',
    without: { classifications: ['C'] },
  })
  const provider = 'instr((SELECT members FROM circumstance WHERE key = e.circumstance), ?) > 0'
  const rest = `(${provider} OR ${provider}) AND (${provider}) IS NOT TRUE AND m.id = ?`
  assert.equal(residuals.event.sql, `e.type IN (6) AND ${rest}`)
  assert.equal(residuals.event_by_type.sql, rest)
  assert.equal(ofMessage.sql, 'm.id = ?')
  assert.deepEqual(toLogSearch({}).residuals.event, { sql: '', values: [] })
})

test('excluded types are taken from the wanted ones, or from all', () => {
  const typesOf = (filters: LogFilters) => toLogSearch(filters).types?.length
  assert.equal(typesOf({}), undefined)
  assert.equal(typesOf({ types: ['Bounce', 'Delivery'], without: { types: ['Bounce'] } }), 1)
  assert.equal(typesOf({ types: ['Bounce'], without: { types: ['Bounce'] } }), 0)
  assert.equal(typesOf({ without: { types: ['Bounce', 'Delivery'] } }), 7)
})
