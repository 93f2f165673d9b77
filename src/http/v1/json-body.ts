/** Small JSON bodies, checked against the schema that the documentation shows; a refusal names the field and what is expected. */
import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Static, TObject } from 'typebox'
import type { TLocalizedValidationError } from 'typebox/error'
import { Errors } from 'typebox/schema'
import { AppError } from '../../lib/app-error.ts'
import { discardBody, readBody } from '../request/request-body.ts'

const BYTES_MAX = 64 * 1024
const SHOWN_LENGTH_MAX = 60

/** What a body can be refused with. */
export const BODY_REFUSALS = ['invalid_payload', 'payload_too_large', 'unsupported_encoding'] as const

/** Routes with a schema for their body get it as bytes, all others get none, whatever was sent. */
export function readSmallBodies(scope: FastifyInstance): void {
  scope.addContentTypeParser('*', async (request: FastifyRequest, payload: Readable) => {
    if (request.routeOptions.schema?.body === undefined) return discardBody(payload)
    let bytes = 0
    return readBody(payload, request.headers['content-encoding'], (more) => {
      bytes += more
      if (bytes > BYTES_MAX)
        throw new AppError('payload_too_large', `The request body is larger than ${BYTES_MAX} bytes`)
    })
  })
}

/** Fields that the schema does not have are refused. Throws AppError `invalid_payload`. */
export function parseJsonBody<T extends TObject>(schema: T, body: unknown): Static<T> {
  const fields = parseObject(body)
  const [, errors] = Errors({ ...schema, additionalProperties: false }, fields)
  // A misspelled name comes before the required field that is missing because of it.
  const error = errors.find(({ keyword }) => keyword === 'boolean') ?? errors[0]
  if (error) throw describeError(error, schema, fields)
  requireWellFormed(fields)
  return fields as Static<T>
}

function parseObject(body: unknown): Readonly<Record<string, unknown>> {
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body as Buffer))
  } catch {
    throw new AppError(
      'invalid_payload',
      'The request body must be JSON: an object with the fields of the documentation',
    )
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw new AppError('invalid_payload', 'The request body must be a JSON object')
}

function describeError(error: TLocalizedValidationError, schema: TObject, fields: unknown): AppError {
  const path = error.instancePath.split('/').slice(1).map(unescapePointer)
  if (error.keyword === 'required') {
    return refusal([...path, ...error.params.requiredProperties.slice(0, 1)], 'it is required')
  }
  if (error.keyword === 'boolean') {
    return refusal(path, `there is no such field; known: ${Object.keys(schema.properties).join(', ')}`)
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

/** Only values that are short: they come from outside and go into an answer. */
function describeValue(value: unknown): string {
  const text = typeof value === 'object' && value !== null ? '' : JSON.stringify(value)
  return text === '' || text === '""' || text.length > SHOWN_LENGTH_MAX ? '' : `, and is ${text}`
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce((inner, key) => (inner as Readonly<Record<string, unknown>>)[key], value)
}

/** RFC 6901 section 4. */
function unescapePointer(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~')
}

/** JSON may spell half of a surrogate pair, which no encoding of the store or of an answer can hold. */
function requireWellFormed(value: unknown, path: readonly string[] = []): void {
  if (typeof value === 'string' && !value.isWellFormed()) throw refusal(path, 'it contains an unpaired surrogate')
  if (typeof value !== 'object' || value === null) return
  for (const [key, member] of Object.entries(value)) requireWellFormed(member, [...path, key])
}

function refusal(path: readonly string[], problem: string): AppError {
  const name = path.join('.')
  const shown = JSON.stringify(name.length > SHOWN_LENGTH_MAX ? `${name.slice(0, SHOWN_LENGTH_MAX)}…` : name)
  return new AppError('invalid_payload', `Invalid ${shown}: ${problem}.`)
}
