/** A JSON schema as HTML: the type in words, the limits, and a table of the fields of an object. */
import { describedHtml, escapeHtml, TABLE_END, TABLE_START } from '../site/html.ts'
import type { Schema } from './openapi-document.ts'

/** Deeper objects are named only; our schemas end before. Also the end of a schema that contains itself. */
const DEPTH_MAX = 6

const LIMITS = [
  ['minimum', 'at least'],
  ['maximum', 'at most'],
  ['x-counts-at-most', 'more counts as'],
  ['minLength', 'characters, at least'],
  ['maxLength', 'characters, at most'],
  ['minItems', 'values, at least'],
  ['maxItems', 'values, at most'],
] as const

export function schemaId(name: string): string {
  return `schema-${name}`
}

/** Such as `string or null`, `array of string`, or a link to a named schema. */
export function typeHtml(schema: Schema): string {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1) ?? ''
    return `<a href="#${escapeHtml(schemaId(name))}">${escapeHtml(name)}</a>`
  }
  if (schema.anyOf) return schema.anyOf.map(typeHtml).join(' or ')
  const types = [schema.type ?? 'any'].flat()
  return types.map((type) => namedType(type, schema)).join(' or ')
}

function namedType(type: string, { items, format, additionalProperties }: Schema): string {
  if (type === 'array') return items ? `array of ${typeHtml(items)}` : 'array'
  if (type === 'object' && typeof additionalProperties === 'object') return `map of ${typeHtml(additionalProperties)}`
  // `int32` says nothing that the limits do not say.
  const hasFormat = format !== undefined && type === 'string'
  return escapeHtml(hasFormat ? `${type} (${format})` : type)
}

/** Allowed values, limits and the default, in words; empty if there are none. */
export function limitsHtml(schema: Schema): string {
  const parts: string[] = []
  if (schema.enum) parts.push(schema.enum.map((value) => `<code>${escapeHtml(toText(value))}</code>`).join(' '))
  for (const [keyword, words] of LIMITS) {
    const limit = schema[keyword]
    // The limits of numbers that JSON can hold exactly are not worth a word.
    if (limit !== undefined && limit !== Number.MAX_SAFE_INTEGER) parts.push(`${words} ${limit}`)
  }
  if (schema['x-pattern-words'] !== undefined) parts.push(escapeHtml(schema['x-pattern-words']))
  if (schema.default !== undefined) parts.push(`default <code>${escapeHtml(toText(schema.default))}</code>`)
  if (schema.items && schema.items.$ref === undefined) parts.push(...[limitsHtml(schema.items)].filter(Boolean))
  return parts.join('; ')
}

function toText(value: unknown): string {
  if (value === '') return '""'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** The fields of an object and of the objects in it; empty if the schema has none. */
export function fieldsHtml(schema: Schema): string {
  const rows = fieldRows(schema, '', 0)
  if (rows.length === 0) return ''
  const head =
    '<thead><tr><th scope="col">field</th><th scope="col">type</th><th scope="col">description</th></tr></thead>'
  return `${TABLE_START}${head}\n<tbody>\n${rows.join('\n')}\n</tbody>${TABLE_END}\n`
}

function fieldRows(schema: Schema, prefix: string, depth: number): readonly string[] {
  const { properties = {}, required = [] } = schema
  return Object.entries(properties).flatMap(([name, field]) => {
    const path = `${prefix}${name}`
    return [rowHtml(path, field, required.includes(name)), ...(depth < DEPTH_MAX ? innerRows(field, path, depth) : [])]
  })
}

function innerRows(field: Schema, path: string, depth: number): readonly string[] {
  const { items, additionalProperties } = field
  if (items) return fieldRows(items, `${path}[].`, depth + 1)
  if (typeof additionalProperties === 'object') return fieldRows(additionalProperties, `${path}.*.`, depth + 1)
  return fieldRows(field, `${path}.`, depth + 1)
}

/** A row of a table of fields or parameters. */
export function rowHtml(name: string, schema: Schema, isRequired: boolean, description = schema.description): string {
  const limits = limitsHtml(schema)
  const words = [describedHtml(description ?? ''), limits === '' ? '' : `<span class="limits">${limits}</span>`]
  const mark = isRequired ? ' <span class="required">required</span>' : ''
  return `<tr><td><code>${escapeHtml(name)}</code>${mark}</td><td>${typeHtml(schema)}</td><td>${words.filter(Boolean).join('<br>')}</td></tr>`
}
