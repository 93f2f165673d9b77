/** Small JSON bodies, read by the very schema that the documentation shows, and refused in the words of parseQuery. */
import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Static, TObject } from 'typebox'
import { AppError } from '../../lib/app-error.ts'
import { discardBody, readBody } from '../request/request-body.ts'

const BYTES_MAX = 64 * 1024

/** What a body can be refused with. */
export const BODY_REFUSALS = ['invalid_payload', 'payload_too_large', 'unsupported_encoding'] as const

/** What the schemas of bodies under /v1 are made of. */
interface BodyRule {
  readonly type: 'string' | 'boolean' | 'array'
  readonly maxLength?: number
  readonly enum?: readonly string[]
}

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

/** Throws AppError `invalid_payload`. */
export function parseJsonBody<T extends TObject>(schema: T, body: unknown): Static<T> {
  const fields = parseObject(body)
  const rules = schema.properties as unknown as Readonly<Record<string, BodyRule>>
  for (const name of Object.keys(fields)) {
    if (!Object.hasOwn(rules, name))
      throw refusal(name, `there is no such field; known: ${Object.keys(rules).join(', ')}`)
  }
  for (const [name, rule] of Object.entries(rules)) {
    const value = fields[name]
    const problem = value === undefined ? undefined : findProblem(value, rule)
    if (problem !== undefined) throw refusal(name, problem)
    if (value === undefined && (schema.required as readonly string[] | undefined)?.includes(name)) {
      throw refusal(name, 'it is required')
    }
  }
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

function findProblem(value: unknown, { type, maxLength, enum: allowed }: BodyRule): string | undefined {
  if (type === 'boolean') return typeof value === 'boolean' ? undefined : 'it must be true or false'
  if (type === 'array') return isTextList(value) ? undefined : 'it must be a list of texts'
  if (typeof value !== 'string') return 'it must be a text'
  if (allowed && !allowed.includes(value)) return `it must be one of ${allowed.join(', ')}`
  if (!value.isWellFormed()) return 'it holds an unpaired surrogate'
  return maxLength !== undefined && value.length > maxLength ? `it has more than ${maxLength} characters` : undefined
}

function isTextList(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

function refusal(name: string, problem: string): AppError {
  const shown = JSON.stringify(name.length > 60 ? `${name.slice(0, 60)}…` : name)
  return new AppError('invalid_payload', `Invalid ${shown}: ${problem}.`)
}
