import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { AppError } from '../../lib/app-error.ts'
import {
  flag,
  integer,
  list,
  object,
  oneOf,
  optional,
  pageSize,
  preset,
  type Static,
  text,
} from '../../lib/json-schema.ts'
import { parseQuery } from './query-parameters.ts'

const Query = object({
  count: optional(integer('A number.', { minimum: 1, maximum: 999, 'x-above-maximum': 'looks like a year' })),
  any: optional(integer()),
  flag: optional(flag()),
  kind: optional(oneOf(['Open', 'Shut'])),
  text: optional(text('A text.', { maxLength: 5 })),
  id: optional(text('An id.', { minLength: 1 })),
  kinds: optional(list(oneOf(['Open', 'Shut']), 'Kinds.', { maxItems: 3 })),
  codes: optional(list(text('A code.', { pattern: '^\\d{3}$', 'x-pattern-words': 'three digits' }))),
})

function refusalOf(query: Record<string, string | string[]>): string {
  try {
    parseQuery(Query, query)
  } catch (error) {
    assert(error instanceof AppError)
    assert.equal(error.code, 'invalid_request')
    return error.message
  }
  throw new Error(`${JSON.stringify(query)} was accepted`)
}

describe('an integer', () => {
  const accepted: [string, number][] = [
    ['1', 1],
    ['999', 999],
    ['007', 7],
  ]
  for (const [raw, value] of accepted) {
    test(`${raw} is ${value}`, () => assert.deepEqual(parseQuery(Query, { count: raw }), { count: value }))
  }

  for (const raw of [
    '',
    ' ',
    '0x10',
    '1e2',
    '1.0',
    '1.5',
    '+1',
    ' 1',
    '1 ',
    '1_0',
    '١',
    'NaN',
    'Infinity',
    'null',
    '--1',
  ]) {
    test(`${JSON.stringify(raw)} is refused`, () => assert.match(refusalOf({ count: raw }), /^Invalid count: /))
  }

  test('too large for a number: taken as the maximum if values above it are allowed, refused otherwise', () => {
    assert.deepEqual(parseQuery(Query, { any: '9223372036854775807' }), { any: Number.MAX_SAFE_INTEGER })
    assert.match(refusalOf({ any: '-9007199254740992' }), /"-9007199254740992" is too small/)
    assert.match(refusalOf({ count: '9007199254740992' }), /"9007199254740992" is too large/)
    assert.deepEqual(parseQuery(Query, { any: '-9007199254740991' }), { any: Number.MIN_SAFE_INTEGER })
  })

  test('minus zero is zero', () => assert(Object.is(parseQuery(Query, { any: '-0' }).any, 0)))

  test('without a digit: the message says that it is empty', () => {
    assert.match(refusalOf({ count: '' }), /^Invalid count: it is empty\. /)
  })

  test('out of range: the message names the parameter, the problem and the range', () => {
    assert.equal(refusalOf({ count: '0' }), 'Invalid count: 0 is too small. Allowed: a whole number from 1 to 999.')
    assert.match(refusalOf({ count: '2026' }), /2026 looks like a year/)
  })
})

test('a boolean is exactly true or false', () => {
  assert.deepEqual(parseQuery(Query, { flag: 'true' }), { flag: true })
  assert.deepEqual(parseQuery(Query, { flag: 'false' }), { flag: false })
  for (const raw of ['', '1', '0', 'TRUE', 'yes', 'true ']) assert.match(refusalOf({ flag: raw }), /^Invalid flag: /)
})

test('an enum is compared exactly, and a refusal lists its values', () => {
  assert.deepEqual(parseQuery(Query, { kind: 'Open' }), { kind: 'Open' })
  for (const raw of ['', 'open', 'Open ', 'Open,Shut']) assert.match(refusalOf({ kind: raw }), /one of Open, Shut/)
})

test('an empty text counts as not sent, unless the schema requires at least one character', () => {
  assert.deepEqual(parseQuery(Query, { text: '' }), {})
  assert.match(refusalOf({ id: '' }), /^Invalid id: it is empty/)
})

test('the length of a text is counted in characters', () => {
  assert.deepEqual(parseQuery(Query, { text: '💌💌💌💌💌' }), { text: '💌💌💌💌💌' })
  assert.match(refusalOf({ text: 'sixsix' }), /it has 6 characters/)
})

test('a known parameter that is sent twice is refused, even with equal values', () => {
  for (const [name, { type }] of Object.entries(Query.properties as Record<string, { type?: unknown }>)) {
    if (type === 'array') continue
    assert.match(
      refusalOf({ [name]: ['1', '1'] }),
      new RegExp(`^Invalid ${name}: it was sent more than once.*, once\\.$`),
    )
  }
})

test('unknown parameters are ignored, even if repeated or named like a method of objects', () => {
  assert.deepEqual(parseQuery(Query, { other: ['1', '2'], __proto__: 'x', constructor: 'x' }), {})
})

test('a refused value is quoted, shortened and on one line', () => {
  const message = refusalOf({ kind: `a\nb${'x'.repeat(5000)}` })
  assert(message.length < 250)
  assert(!message.includes('\n'))
})

test('any input is either refused or results in a value that matches the schema', () => {
  const query = fc.dictionary(
    fc.constantFrom(...Object.keys(Query.properties)),
    fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }), fc.integer().map(String)),
  )
  fc.assert(
    fc.property(query, (raw) => {
      let parsed: Static<typeof Query>
      try {
        parsed = parseQuery(Query, raw)
      } catch (error) {
        return error instanceof AppError && error.code === 'invalid_request'
      }
      const { count = 1, any = 0, text = '', kind = 'Open' } = parsed
      return (
        count >= 1 &&
        count <= 999 &&
        Number.isSafeInteger(any) &&
        Array.from(text).length <= 5 &&
        /^(Open|Shut)$/.test(kind)
      )
    }),
    { numRuns: 2000 },
  )
})

describe('a parameter that may be repeated', () => {
  test('is a list even if it is sent once; duplicates and empty values are dropped', () => {
    assert.deepEqual(parseQuery(Query, { kinds: 'Open' }), { kinds: ['Open'] })
    assert.deepEqual(parseQuery(Query, { kinds: ['Shut', 'Open', 'Shut'] }), { kinds: ['Shut', 'Open'] })
    assert.deepEqual(parseQuery(Query, { codes: ['', '550'] }), { codes: ['550'] })
    assert.deepEqual(parseQuery(Query, { codes: '' }), {})
  })

  test('is refused if any of its values is invalid, or if there are too many', () => {
    assert.match(refusalOf({ kinds: ['Open', 'open'] }), /^Invalid kinds: "open" is not a valid value/)
    assert.match(refusalOf({ kinds: ['Open', 'Open', 'Open', 'Open'] }), /^Invalid kinds: it was sent 4 times/)
    assert.equal(refusalOf({ codes: ['550', '55'] }), 'Invalid codes: "55" is not valid. Allowed: three digits.')
  })
})

test('a default is the value of a parameter that was not sent, and a number above the most counts as the most', () => {
  const Page = object({ size: pageSize(50, 200, 'Page size.'), whole: preset(flag('All of it.', { default: false })) })
  assert.deepEqual(parseQuery(Page, {}), { size: 50, whole: false })
  assert.deepEqual(parseQuery(Page, { size: '200', whole: 'true' }), { size: 200, whole: true })
  assert.deepEqual(parseQuery(Page, { size: '201' }), { size: 200, whole: false })
})

test('a refusal says what is allowed', () => {
  const schema = object({
    ...Query.properties,
    atLeast: optional(integer('', { minimum: 2 })),
    atMost: optional(integer('', { maximum: 9 })),
    reduced: optional(integer('', { minimum: 1, 'x-counts-at-most': 50 })),
    free: optional(text('')),
  })
  for (const [query, allowed] of [
    [{ count: 'x' }, 'a whole number from 1 to 999.'],
    [{ any: 'x' }, 'a whole number.'],
    [{ flag: 'x' }, 'true or false.'],
    [{ kind: 'open' }, 'one of Open, Shut, exactly as written here.'],
    [{ text: '123456' }, 'a text of at most 5 characters.'],
    [{ id: '' }, 'a non-empty text.'],
    [{ codes: 'x' }, 'three digits.'],
    [{ atLeast: '1' }, 'a whole number of at least 2.'],
    [{ atMost: '10' }, 'a whole number of at most 9.'],
    [{ reduced: '0' }, 'a whole number of at least 1 (above 50 it counts as 50).'],
    [{ free: ['a', 'b'] }, 'a non-empty text, once.'],
  ] as const) {
    assert.throws(
      () => parseQuery(schema, query),
      (error: Error) => error.message.endsWith(`. Allowed: ${allowed}`),
      JSON.stringify(query),
    )
  }
})
