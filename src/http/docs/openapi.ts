/** OpenAPI 3.1 documents, one for each part of the API, generated from the schemas of its routes. */
import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import { madeOnce } from '../../lib/made-once.ts'
import { PLAIN_COOKIE } from '../access/session-cookie.ts'
import { ErrorBodySchema } from '../answers/error-body.wire.ts'
import { compressFile, sendFile } from '../answers/static-file.ts'

const SECURITY_SCHEME = 'ApiKey'
const SESSION_SCHEME = 'Session'

export const DOCUMENTS = [
  {
    name: 'logs',
    title: 'Envelog: event log',
    version: '1.0.0',
    description:
      'The events of a sender domain, newest first. Needs a tenant key with the scope `logs`. ' +
      "Another tenant's domain gives exactly the same response as a domain that does not exist.",
  },
  {
    name: 'platform',
    title: 'Envelog: domains',
    version: '2.0.0',
    description:
      "A tenant's sender domains, the DNS records to publish, and their verification. " +
      'Needs a tenant key with the scope `domains`.',
  },
  {
    name: 'stats',
    title: 'Envelog: statistics',
    version: '1.0.0',
    description: 'Counts for every domain of a tenant. Needs a tenant key with the scope `domainStats`.',
  },
  {
    name: 'v1',
    title: 'Envelog: console and administration',
    version: '1.0.0',
    description:
      'The API that the web console uses, open to every program: the log of all domains of a tenant, live and as files, ' +
      'counts over time, the full report of a DNS check, and administration. Accepts an API key like every other part, or a ' +
      'session cookie; a state-changing request with the cookie needs the `X-CSRF-Token` of the session. A valid key that ' +
      'lacks a permission gets 403.',
  },
  {
    name: 'operations',
    title: 'Envelog: ingest and operations',
    version: '1.0.0',
    description:
      'Ingest of events from a sending platform, health checks and metrics. ' +
      'Ingest needs an operator key with the scope `ingest`; health and metrics need no key.',
  },
  {
    name: 'tracking',
    title: 'Envelog: opens and clicks',
    version: '1.0.0',
    description:
      'The tracking pixel and links of a message, requested by its recipients. No key is needed; every URL is signed.',
  },
] as const

/** A route that the documents do not mention. */
const HIDDEN = { config: { surface: 'docs', access: 'public' }, schema: { hide: true } } as const

export type DocumentName = (typeof DOCUMENTS)[number]['name']

declare module 'fastify' {
  interface FastifyInstance {
    /** The OpenAPI documents of the app, complete once it is ready. */
    openapiDocuments: Map<DocumentName, () => object>
  }
}

export function documentPath(name: DocumentName): string {
  return `/openapi/${name}.json`
}

/**
 * Describes the routes that are added to `scope` afterwards, and serves the document. Each part of the API has its own scope,
 * so that its document contains only its own routes and schemas.
 */
export async function describeRoutes(scope: FastifyInstance, name: DocumentName): Promise<void> {
  const document = DOCUMENTS.find((candidate) => candidate.name === name)
  if (!document) throw new Error(`there is no document named ${name}`)
  const { title, version, description } = document
  await scope.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title, version, description },
      servers: [{ url: '/', description: 'This server' }],
      components: {
        securitySchemes: {
          [SECURITY_SCHEME]: {
            type: 'apiKey',
            in: 'header',
            name: 'Authorization',
            description: 'The API key itself, without a scheme. `Bearer <key>` is accepted as well.',
          },
          ...(name === 'v1' && { [SESSION_SCHEME]: { type: 'apiKey', in: 'cookie', name: PLAIN_COOKIE } }),
        },
      },
      security: [{ [SECURITY_SCHEME]: [] }, ...(name === 'v1' ? [{ [SESSION_SCHEME]: [] }] : [])],
    },
    refResolver: {
      buildLocalReference: ({ $id }, _base, _fragment, index) => (typeof $id === 'string' ? $id : `schema-${index}`),
    },
  })
  scope.addSchema(ErrorBodySchema)
  scope.openapiDocuments.set(name, () => scope.swagger())
  const file = madeOnce(() => compressFile('application/json; charset=utf-8', JSON.stringify(scope.swagger())))
  scope.get(documentPath(name), HIDDEN, async (request, reply) => sendFile(request, reply, await file()))
}

/** GET /openapi/index.json: the list of documents. Comes before the parts of the API, which add their documents. */
export function addOpenapiIndex(scope: FastifyInstance): void {
  scope.decorate('openapiDocuments', new Map())
  const documents = DOCUMENTS.map((document) => ({ ...document, url: documentPath(document.name) }))
  scope.get('/openapi/index.json', HIDDEN, async () => ({ documents }))
}
