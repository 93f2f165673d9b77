/** Small JSON bodies, validated by the schemas in the documentation; an error names the field and what is expected. */
import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { TLocalizedValidationError } from 'typebox/error'
import { AppError } from '../../lib/app-error.ts'
import type { Fields, ObjectOf, ObjectSchema } from '../../lib/json-schema.ts'
import { SERVER_LIMITS } from '../server/server-limits.ts'
import { discardBody, readSmallBody } from './request-body.ts'
import { SHOWN_LENGTH_MAX, show } from './show.ts'

/** Loaded on demand, because it takes as long as the rest of a short command; a server loads it at startup. */
export const loadValidation = () => import('typebox/schema')

/** Routes with a body schema get the body as bytes; for all others it is discarded. */
export function readSmallBodies(scope: FastifyInstance): void {
  scope.addContentTypeParser('*', async (request: FastifyRequest, payload: Readable) => {
    const { schema, config } = request.routeOptions
    if (schema?.body === undefined) return discardBody(payload)
    const { publicBodyBytes, smallBodyBytes } = SERVER_LIMITS
    return readSmallBody(payload, request.headers, config.access === 'public' ? publicBodyBytes : smallBodyBytes)
  })
}

/** Unknown fields are refused. Throws AppError `invalid_payload`. */
export async function parseJsonBody<F extends Fields>(schema: ObjectSchema<F>, body: unknown): Promise<ObjectOf<F>> {
  const fields = parseObject(body)
  const { Errors } = await loadValidation()
  const [, errors] = Errors({ ...schema, additionalProperties: false }, fields)
  // Report a misspelled name rather than the required field that is missing because of it.
  const error = errors.find(({ keyword }) => keyword === 'boolean') ?? errors[0]
  if (error) throw describeError(error, schema, fields)
  requireWellFormed(fields)
  return fields as ObjectOf<F>
}

function parseObject(body: unknown): Readonly<Record<string, unknown>> {
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body as Buffer))
  } catch {
    throw new AppError('invalid_payload', 'The request body must be a JSON object with the documented fields')
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw new AppError('invalid_payload', 'The request body must be a JSON object')
}

function describeError(error: TLocalizedValidationError, schema: ObjectSchema, fields: unknown): AppError {
  const path = error.instancePath.split('/').slice(1).map(unescapePointer)
  if (error.keyword === 'required') {
    return refusal([...path, ...error.params.requiredProperties.slice(0, 1)], 'it is required')
  }
  if (error.keyword === 'boolean') {
    const names = path.length === 1 ? `; known: ${Object.keys(schema.properties).join(', ')}` : ''
    return refusal(path, `unknown field${names}`)
  }
  return refusal(path, `it ${expectationOf(error)}${describeValue(valueAt(fields, path))}`)
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: 'a string',
  boolean: 'true or false',
  integer: 'an integer',
  number: 'a number',
  array: 'a list',
  object: 'an object',
}

function expectationOf(error: TLocalizedValidationError): string {
  if (error.keyword === 'type') {
    const types = [error.params.type].flat().map((type) => TYPE_WORDS[type] ?? type)
    return `must be ${types.join(' or ')}`
  }
  if (error.keyword === 'enum') return `must be one of ${error.params.allowedValues.join(', ')}`
  if (error.keyword === 'minLength' && error.params.limit === 1) return 'must not be empty'
  return error.message
}

/** Short values only: they come from the caller and are repeated in the response. */
function describeValue(value: unknown): string {
  const text = typeof value === 'object' && value !== null ? '' : JSON.stringify(value)
  return text === '' || text === '""' || text.length > SHOWN_LENGTH_MAX ? '' : `, but is ${text}`
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce((inner, key) => (inner as Readonly<Record<string, unknown>>)[key], value)
}

/** RFC 6901 section 4. */
function unescapePointer(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~')
}

/** JSON can contain an unpaired surrogate, which neither the storage nor a UTF-8 response can represent. */
function requireWellFormed(value: unknown, path: readonly string[] = []): void {
  if (typeof value === 'string' && !value.isWellFormed()) throw refusal(path, 'it contains an unpaired surrogate')
  if (typeof value !== 'object' || value === null) return
  for (const [key, member] of Object.entries(value)) requireWellFormed(member, [...path, key])
}

function refusal(path: readonly string[], problem: string): AppError {
  return new AppError('invalid_payload', `Invalid ${show(path.join('.'))}: ${problem}.`)
}
