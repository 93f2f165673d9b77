/** Declares endpoints: the handler, its access, its parsing and its documentation follow from one declaration. */
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify'
import * as t from '../../lib/json-schema.ts'
import { known } from '../../lib/known.ts'
import type { Principal, TenantPrincipal } from '../../tenants/principal.ts'
import type { Access, Surface } from '../access/access.ts'
import type { RefusalCode } from '../answers/error-body.ts'
import { type AuditRule, auditRuleOf } from '../observation/audit.ts'
import { parseJsonBody } from '../request/json-body.ts'
import { parseQuery } from '../request/query-parameters.ts'
import { listFollowing, refusals, withIncompleteHeader, withLimitHeaders } from './refusals.ts'

type None = Record<never, t.Schema>

/** A request as a handler sees it. Parsing throws AppError `invalid_request` or `invalid_payload`. */
export interface Call<Caller, P extends t.Fields, Q extends t.Fields, B extends t.Fields> {
  readonly caller: Caller
  readonly params: t.ObjectOf<P>
  readonly query: t.ObjectOf<Q>
  readonly body: () => Promise<t.ObjectOf<B>>
  /** Names what the request is about in the audit log, such as the id of a key; never a secret. Default: the parameters of the path. */
  readonly about: (object: string) => void
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

interface Declaration<Caller, P extends t.Fields, Q extends t.Fields, B extends t.Fields, A>
  extends Pick<RouteShorthandOptions, 'exposeHeadRoute' | 'onRequest'> {
  readonly operationId: string
  readonly summary: string
  /** If it differs from that of the other routes of this part. */
  readonly access?: Access
  readonly description?: string
  readonly params?: t.ObjectSchema<P>
  readonly query?: t.ObjectSchema<Q>
  readonly body?: t.ObjectSchema<B>
  /** A body that the handler reads itself, as the documentation describes it. */
  readonly rawBody?: object
  readonly answer: Answer<A>
  /** The response contains a secret: it is not compressed. Nor is one that the audit log records each time. */
  readonly isSecret?: true
  /** How the audit log records it; see `auditRuleOf`. Reads of secrets are recorded each. */
  readonly audit?: AuditRule
  /** Beyond those that follow from the rest of the declaration. */
  readonly refusals?: readonly RefusalCode[]
  /** Responses other than the answer and the errors, by status. */
  readonly responses?: Readonly<Record<number, object>>
  readonly handle: (call: Call<Caller, P, Q, B>) => A | FastifyReply | Promise<A | FastifyReply>
}

/** A successful response: its status, and what the documentation says about it. */
interface Answer<A> {
  readonly status: number
  readonly response: object
  /** Only for the compiler. */
  readonly body?: A
}

export function json<A>(description: string, schema: t.Named<t.Schema<A>>, status = 200): Answer<A> {
  return { ...content(description, { 'application/json': schema }), status }
}

export const created = <A>(schema: t.Named<t.Schema<A>>, description = 'Created.') => json(description, schema, 201)

export function noContent(description: string): Answer<void> {
  return { status: 204, response: { description, type: 'null' } }
}

/** A response that the handler sends itself, with the schema of each media type. */
export function content(description: string, schemas: Readonly<Record<string, t.Schema | t.Named>>): Answer<never> {
  const media = Object.entries(schemas).map(([type, schema]) => {
    return [type, { schema: '$id' in schema ? t.ref(schema) : schema }] as const
  })
  return { status: 200, response: { description, content: Object.fromEntries(media) } }
}

type CallerOf<A extends Access> = A extends 'public'
  ? null
  : A extends { operator: string }
    ? Principal
    : A extends { tenant: string }
      ? TenantPrincipal
      : Principal

export type AddRoute<Caller> = <
  P extends t.Fields = None,
  Q extends t.Fields = None,
  B extends t.Fields = None,
  A = never,
>(
  endpoint: `${'GET' | 'POST' | 'PUT' | 'DELETE'} /${string}`,
  declaration: Declaration<Caller, P, Q, B, A>,
) => void

/** The endpoints of administration. */
export type AddAdminRoute = AddRoute<Principal>

/** Adds the routes of a part of the API that have the same access. */
export function routesOf<A extends Access>(scope: FastifyInstance, surface: Surface, usual: A): AddRoute<CallerOf<A>> {
  return (endpoint, { access = usual, ...declaration }) => {
    const [method = '', url = ''] = endpoint.split(' ')
    const { operationId, summary, description, params, query, body, rawBody, answer, handle, ...rest } = declaration
    const { refusals: codes = [], responses, isSecret, audit: rule = auditRuleOf(method, url), ...options } = rest
    for (const schema of t.listNamed(answer.response)) if (!scope.getSchema(schema.$id)) scope.addSchema(schema)
    const declared = { method, surface, access, ...declaration }
    const documented = {
      [answer.status]: withIncompleteHeader(codes, answer.response),
      ...refusals(...listFollowing(declared), ...codes),
      ...responses,
    }
    const schema = known({
      operationId,
      summary,
      description,
      security: access === 'public' ? [] : undefined,
      params,
      querystring: query,
      body: body ?? rawBody,
      response: withLimitHeaders(declared, documented),
    })
    scope.route({
      method,
      url,
      ...options,
      config: {
        surface,
        access,
        isCompressible: isSecret !== true && rule !== 'each',
        ...(rule && { audit: { action: operationId, rule } }),
      },
      schema,
      async handler(request, reply) {
        if (answer.status !== 200) reply.code(answer.status)
        return handle({
          caller: request.principal as CallerOf<A>,
          params: request.params as never,
          get query() {
            return parseQuery(query ?? t.object({}), request.query) as never
          },
          body: () => parseJsonBody(body ?? t.object({}), request.body) as never,
          about: (object) => {
            request.auditObject = object
          },
          request,
          reply,
        })
      },
    })
  }
}
