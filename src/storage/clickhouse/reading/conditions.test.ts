import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LogFilters } from '../../../events/log/log-query.ts'
import { domainCondition, originConditions, toConditions } from './conditions.ts'

const RECIPIENT = "concat(lower(recipient), '\\xFF', recipient_folded)"
const SUBJECT = "concat(lower(subject), '\\xFF', subject_folded)"
const ALL_FIELDS = ['recipient', 'sender', 'header_from', 'subject'].map(
  (column) => `concat(lower(${column}), '\\xFF', ${column}_folded)`,
)

test('each filter is a condition on its column', () => {
  const cases: readonly (readonly [LogFilters, readonly string[]])[] = [
    [{}, []],
    [{ types: ['Delivery', 'Bounce'] }, ['type IN (1, 6)']],
    [{ codes: [{ from: 550, to: 550 }] }, ['(response_code = 550)']],
    [
      {
        codes: [
          { from: 400, to: 499 },
          { from: 500, to: 70_000 },
        ],
      },
      ['((response_code >= 400 AND response_code <= 499) OR (response_code >= 500 AND response_code <= 65534))'],
    ],
    [{ providers: ['Gmail'], classifications: ['spam'] }, ["provider IN ('Gmail')", "classification IN ('spam')"]],
    [{ messageId: 'm' }, ["id = 'm'"]],
    [{ anyText: 'É' }, [`(${[...ALL_FIELDS.map((text) => `${text} LIKE '%é%'`), "id = 'É'"].join(' OR ')})`]],
    [{ answers: ['No É'] }, ["lower(response_content) LIKE '%no É%'"]],
    [{ replies: ['full'] }, ["((response_content != '' AND response_content LIKE '%full%'))"]],
    [{ recipient: 'A' }, [`${RECIPIENT} LIKE '%a%'`]],
    [
      { without: { types: ['Bounce'], codes: [{ from: 1, to: 1 }], providers: ['a'], classifications: ['b'] } },
      ['NOT (type IN (6))', 'NOT ((response_code = 1))', "NOT (provider IN ('a'))", "NOT (classification IN ('b'))"],
    ],
    [
      { without: { sendingPools: ['p'], texts: [{ text: 'x', fields: ['subject'] }], answers: ['y'] } },
      [
        "NOT ((origin != '' AND splitByChar('\\n', origin)[3] IN ('p')))",
        `NOT ((${SUBJECT} LIKE '%x%'))`,
        "NOT (lower(response_content) LIKE '%y%')",
      ],
    ],
  ]
  for (const [filters, expected] of cases) assert.deepEqual(toConditions(filters), expected, JSON.stringify(filters))
})

test('of several texts the longest is compared first', () => {
  const texts = ['ab', 'abcd', 'abc'].map((text) => ({ text, fields: ['subject'] as const, ids: [text] }))
  assert.deepEqual(
    toConditions({ texts }),
    ['abcd', 'abc', 'ab'].map((text) => `(${SUBJECT} LIKE '%${text}%' OR id = '${text}')`),
  )
})

test('parts of an origin are those of a known one', () => {
  const part = (index: number, value: string) =>
    `(origin != '' AND splitByChar('\\n', origin)[${index}] IN ('${value}'))`
  assert.deepEqual(originConditions({ sendingAddresses: ['a'], sendingSources: ['s'], sendingPools: ['p'] }), [
    part(1, 'a'),
    part(2, 's'),
    part(3, 'p'),
  ])
  assert.deepEqual(originConditions({ sendingSources: ['s'] }), [part(2, 's')])
})

test('one domain is compared, several are listed', () => {
  assert.equal(domainCondition([7]), 'domain = 7')
  assert.equal(domainCondition([7, 8]), 'domain IN (7, 8)')
})
