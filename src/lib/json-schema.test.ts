import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as t from './json-schema.ts'

const Part = t.named('Part', { size: t.count('A size.') })
const Whole = t.named('Whole', 'All of it.', {
  id: t.text(undefined, { format: 'uuid' }),
  kind: t.oneOf(['a', 'b'], 'A kind.', { default: 'a' }),
  note: t.optional(t.textOrNull('A note.')),
  limit: t.pageSize(5, 10, 'A limit.'),
  parts: t.list(t.ref(Part)),
})

test('a schema is the JSON Schema that it reads like, and what is optional or has a default is not required', () => {
  assert.deepEqual(JSON.parse(JSON.stringify(Whole)), {
    type: 'object',
    required: ['id', 'kind', 'parts'],
    properties: {
      id: { type: 'string', format: 'uuid' },
      kind: { enum: ['a', 'b'], type: 'string', default: 'a', description: 'A kind.' },
      note: { type: ['string', 'null'], description: 'A note.' },
      limit: { type: 'integer', minimum: 1, default: 5, 'x-counts-at-most': 10, description: 'A limit.' },
      parts: { type: 'array', items: { $ref: 'Part' } },
    },
    description: 'All of it.',
    $id: 'Whole',
  })
})

test('a schema carries its type', () => {
  const whole: t.Static<typeof Whole> = { id: 'x', kind: 'b', limit: 1, parts: [{ size: 1 }] }
  // @ts-expect-error c is not a kind.
  const wrong: t.Static<typeof Whole> = { ...whole, kind: 'c' }
  assert.notEqual(whole, wrong)
})

test('the named schemas are listed after those that they refer to, through optional references too', () => {
  const Outer = t.named('Outer', { whole: t.optional(t.ref(Whole)) })
  assert.deepEqual(
    Array.from(t.listNamed({ schema: t.ref(Outer) }), ({ $id }) => $id),
    ['Part', 'Whole', 'Outer'],
  )
})
