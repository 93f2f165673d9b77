/** The operations of the OpenAPI documents as TypeScript: what each is called with, and what it returns. */
import { comment, type Schema, schemaName, typeOf } from './schema-type.ts'

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema: Schema
}

interface Operation {
  readonly operationId: string
  readonly summary?: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>

export interface OpenapiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> }
}

/** Pages for browsers, and what only scrapers and mail readers request. */
const LEFT_OUT = new Set(['signIn', 'getSession', 'signOut', 'getMetrics', 'getOpen', 'getClick'])

export function operationsModule(documents: readonly OpenapiDocument[]): string {
  const schemas = new Map(documents.flatMap(({ components }) => Object.entries(components?.schemas ?? {})))
  const operations = documents
    .flatMap(({ paths }) =>
      Object.entries(paths).flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
      ),
    )
    .filter(({ operation }) => !LEFT_OUT.has(operation.operationId))
  const table = operations.map(
    ({ method, path, operation }) =>
      `  ${operation.operationId}: { method: '${method}', path: '${path}', isBodyJson: ${isBodyJson(operation)} },`,
  )
  const calls = operations.map(
    ({ operation }) => `${comment(operation.summary, '  ')}  ${operation.operationId}: ${callType(operation)}`,
  )
  return [
    '/** Generated from the OpenAPI documents by `npm run docs`. */',
    'export const OPERATIONS = {',
    ...table,
    '} as const',
    '',
    'export interface Calls {',
    ...calls,
    '}',
    ...[...schemas].map(
      ([name, schema]) => `\n${comment(schema.description, '')}export type ${schemaName(name)} = ${typeOf(schema)}`,
    ),
    '',
  ].join('\n')
}

function isBodyJson({ requestBody }: Operation): boolean {
  return requestBody?.content['application/json'] !== undefined
}

function callType(operation: Operation): string {
  const { parameters = [] } = operation
  const members = [
    ...parametersType('path', parameters),
    ...parametersType('query', parameters),
    ...bodyType(operation),
    `    readonly returns: ${returnType(operation)}`,
  ]
  return `{\n${members.join('\n')}\n  }`
}

function parametersType(place: 'path' | 'query', parameters: readonly Parameter[]): readonly string[] {
  const those = parameters.filter((parameter) => parameter.in === place)
  if (those.length === 0) return []
  const required = those.filter(({ required: isRequired }) => isRequired || place === 'path').map(({ name }) => name)
  const properties = those.map(({ name, schema, description }) => [name, { ...schema, description }] as const)
  const mark = required.length === 0 ? '?' : ''
  const type = typeOf(
    { type: 'object', required, properties: Object.fromEntries(properties) as Record<string, Schema> },
    '    ',
  )
  return [`    readonly ${place}${mark}: ${type}`]
}

function bodyType({ requestBody }: Operation): readonly string[] {
  if (!requestBody) return []
  const json = requestBody.content['application/json']
  return [`    readonly body: ${json ? typeOf(json.schema, '    ') : 'string | Uint8Array'}`]
}

/** Bodies that are not one JSON value are returned as they are. */
function returnType({ responses }: Operation): string {
  const [success] = Object.entries(responses).filter(([status]) => status.startsWith('2'))
  const content = success?.[1].content
  if (!content) return 'undefined'
  const json = content['application/json']
  return json ? typeOf(json.schema, '    ') : 'Response'
}
