/** The documented errors of a route. */
import type { Access, Surface } from '../access/access.ts'
import { LIMIT_HEADER, limitOf, POLICY_HEADER } from '../access/rate-limits.ts'
import { type ErrorRow, type RefusalCode, rowOf } from '../answers/error-body.ts'
import { INCOMPLETE_HEADER } from '../answers/incomplete.ts'

type Response = object & { readonly headers?: object }

interface Declared {
  readonly method: string
  readonly surface: Surface
  readonly access: Access
  readonly params?: object
  readonly query?: object
  readonly body?: object
  readonly rawBody?: object
}

/** The errors that follow from what a route declares. */
export function* listFollowing(declared: Declared): Generator<RefusalCode> {
  const { method, surface, access, params, query, body, rawBody } = declared
  if (access !== 'public') {
    yield 'unauthenticated'
    if (access === 'key' || access.tenant !== undefined) yield 'tenant_suspended'
    if (limitOf(access, surface, method)) yield 'too_many_requests'
    if (access !== 'key') yield surface === 'v1' ? 'forbidden' : 'missing_scope'
    if (surface === 'v1' && !(access === 'key' && method === 'GET')) yield 'cross_site'
    if (params) yield 'not_found'
  }
  if (body ?? rawBody) yield* ['invalid_payload', 'unsupported_encoding'] as const
  // A body that is not declared is read and discarded, up to a limit.
  if (method !== 'GET') yield 'payload_too_large'
  if (query) yield 'invalid_request'
  // These can be bound to a host name.
  if (surface === 'logs' || surface === 'stats' || surface === 'platform') yield 'not_found'
}

/** Those of a tenant's reads of the log and the statistics. */
export const READ_REFUSALS = ['too_many_reads', 'overloaded', 'storage_unavailable'] as const

/** Adds the header of an incomplete answer to the documentation of a tenant's reads. */
export function withIncompleteHeader(codes: readonly RefusalCode[], answer: Response): Response {
  if (!codes.includes('too_many_reads')) return answer
  const description =
    'Sent if days that this response covers are missing from it, because their files are damaged or lost: their dates (UTC).'
  const header = { description, type: 'string', examples: ['2026-03-01, 2026-03-02'] }
  return { ...answer, headers: { [INCOMPLETE_HEADER]: header, ...answer.headers } }
}

/** Adds the headers of a rate limit to the documentation of the answer and of the refusal, if the route counts for one. */
export function withLimitHeaders(
  { method, surface, access }: Declared,
  responses: Readonly<Record<number, Response>>,
): Readonly<Record<number, Response>> {
  const limit = limitOf(access, surface, method)
  if (!limit) return responses
  const text = (description: string, example: string) => ({ description, type: 'string', examples: [example] })
  const headers = {
    [POLICY_HEADER]: text(
      'The rate limit of the key: `q` requests per `w` seconds. Not sent if the limit is switched off.',
      `"${limit}";q=60000;w=60`,
    ),
    [LIMIT_HEADER]: text(
      'What is left of it: `r` requests now, and all of them after `t` seconds without a request.',
      `"${limit}";r=59999;t=1`,
    ),
  }
  const isLimited = (status: number) => status < 400 || status === rowOf('too_many_requests').status
  const entries = Object.entries(responses).map(([status, response]) => {
    if (!isLimited(Number(status))) return [status, response]
    return [status, { ...response, headers: { ...headers, ...response.headers } }]
  })
  return Object.fromEntries(entries)
}

/** Errors that any route can return. */
const ALWAYS: readonly RefusalCode[] = [
  'malformed_request',
  'request_timeout',
  'expectation_failed',
  'headers_too_large',
  'internal_error',
  'closing',
]

/** The error responses of a route: one per status, with a sentence for each cause. */
export function refusals(...codes: readonly RefusalCode[]) {
  const rows = [...new Set([...codes, ...ALWAYS])].map(rowOf)
  const byStatus = Object.groupBy(rows, ({ status }) => status)
  return Object.fromEntries(Object.entries(byStatus).map(([status, of = []]) => [status, refusal(of)]))
}

function refusal(rows: readonly ErrorRow[]) {
  const description = rows.map((row) => row.description).join(' ')
  const response = { description, content: { 'application/json': { schema: { $ref: 'Error' } } } }
  if (rows.every((row) => row.retryAfterSeconds === undefined)) return response
  const retryAfter = { type: 'integer', description: 'Seconds to wait before retrying the request.' }
  return { ...response, headers: { 'Retry-After': retryAfter } }
}
