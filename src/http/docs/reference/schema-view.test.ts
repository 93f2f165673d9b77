import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Schema } from './openapi-document.ts'
import { fieldsHtml, limitsHtml, rowHtml, schemaId, typeHtml } from './schema-view.ts'

test('a type in words, or as a link to the schema that has a name', () => {
  const types: readonly [schema: Schema, html: string][] = [
    [{}, 'any'],
    [{ type: 'string' }, 'string'],
    [{ type: ['string', 'null'] }, 'string or null'],
    [{ type: 'string', format: 'date-time' }, 'string (date-time)'],
    [{ type: 'integer', format: 'int32' }, 'integer'],
    [{ type: 'array' }, 'array'],
    [{ type: 'array', items: { type: 'string' } }, 'array of string'],
    [{ type: 'object' }, 'object'],
    [{ type: 'object', additionalProperties: { type: 'integer' } }, 'map of integer'],
    [{ type: 'object', additionalProperties: false }, 'object'],
    [{ type: 'string', additionalProperties: { type: 'integer' } }, 'string'],
    [{ anyOf: [{ type: 'string' }, { type: 'array' }] }, 'string or array'],
    [{ $ref: '#/components/schemas/A<B' }, '<a href="#schema-A&lt;B">A&lt;B</a>'],
    [{ type: '<b>' }, '&lt;b&gt;'],
  ]
  for (const [schema, html] of types) assert.equal(typeHtml(schema), html)
  assert.equal(schemaId('Event'), 'schema-Event')
})

test('allowed values, limits and the default', () => {
  const limits: readonly [schema: Schema, html: string][] = [
    [{ type: 'string' }, ''],
    [{ enum: ['a', '', 5, '<'] }, '<code>a</code> <code>&quot;&quot;</code> <code>5</code> <code>&lt;</code>'],
    [{ minimum: 0, maximum: 9 }, 'at least 0; at most 9'],
    [{ maximum: Number.MAX_SAFE_INTEGER }, ''],
    [{ 'x-counts-at-most': 100 }, 'more counts as 100'],
    [{ minLength: 1, maxLength: 5 }, 'characters, at least 1; characters, at most 5'],
    [{ minItems: 1, maxItems: 2 }, 'values, at least 1; values, at most 2'],
    [{ 'x-pattern-words': 'a <name>' }, 'a &lt;name&gt;'],
    [{ default: false }, 'default <code>false</code>'],
    [{ default: 'x' }, 'default <code>x</code>'],
    [{ items: { maxLength: 5 }, maxItems: 2 }, 'values, at most 2; characters, at most 5'],
    [{ items: { type: 'string' }, maxItems: 2 }, 'values, at most 2'],
    [{ items: { $ref: 'A', maxLength: 5 } }, ''],
  ]
  for (const [schema, html] of limits) assert.equal(limitsHtml(schema), html, JSON.stringify(schema))
})

/** The names in the first column, in order. */
function namesOf(schema: Schema): readonly string[] {
  return [...fieldsHtml(schema).matchAll(/<tr><td><code>(.*?)<\/code>/g)].map(([, name]) => name ?? '')
}

test('fields are listed with those of the objects in them', () => {
  const inner: Schema = { type: 'object', properties: { x: { type: 'string' } }, required: ['x'] }
  const schema: Schema = {
    type: 'object',
    properties: {
      plain: { type: 'string' },
      own: inner,
      list: { type: 'array', items: inner },
      map: { type: 'object', additionalProperties: inner },
      closed: { ...inner, additionalProperties: false },
    },
    required: ['own'],
  }
  const names = ['plain', 'own', 'own.x', 'list', 'list[].x', 'map', 'map.*.x', 'closed', 'closed.x']
  assert.deepEqual(namesOf(schema), names)
  const required = [...fieldsHtml(schema).matchAll(/<code>([^<]*)<\/code> <span class="required">required<\/span>/g)]
  assert.deepEqual(
    required.map(([, name]) => name),
    ['own', 'own.x', 'list[].x', 'map.*.x', 'closed.x'],
  )
  assert.equal(fieldsHtml({ type: 'string' }), '')
})

test('a schema that contains itself ends after some levels', () => {
  const schema: Record<string, unknown> = { type: 'object' }
  schema['properties'] = { a: schema }
  assert.deepEqual(
    namesOf(schema as Schema),
    Array.from({ length: 7 }, (_, depth) =>
      Array(depth + 1)
        .fill('a')
        .join('.'),
    ),
  )
})

test('a row has the name, the type, and the description with the limits below it', () => {
  const cellsOf = (html: string) => [...html.matchAll(/<td>(.*?)<\/td>/g)].map(([, cell]) => cell)
  assert.deepEqual(cellsOf(rowHtml('a<b', { type: 'string', description: 'Own.' }, false)), [
    '<code>a&lt;b</code>',
    'string',
    'Own.',
  ])
  assert.deepEqual(cellsOf(rowHtml('a', { type: 'string', description: 'Own.', maxLength: 5 }, true, 'Other.')), [
    '<code>a</code> <span class="required">required</span>',
    'string',
    'Other.<br><span class="limits">characters, at most 5</span>',
  ])
  assert.deepEqual(
    cellsOf(rowHtml('a', { type: 'string', maxLength: 5 }, false))[2],
    '<span class="limits">characters, at most 5</span>',
  )
  assert.deepEqual(cellsOf(rowHtml('a', {}, false))[2], '')
})
