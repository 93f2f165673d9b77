/** /v1/admin/domains/{name}/keys: the DKIM keys of a domain, their rotation, and the private key for the mail server. */
import type { FastifyInstance } from 'fastify'
import type { DkimKey, Domain } from '../../../../domains/domain.ts'
import { requireKey } from '../../../../domains/keys/change-keys.ts'
import { promoteKey } from '../../../../domains/keys/promote-key.ts'
import { retireKey } from '../../../../domains/keys/retire-key.ts'
import { rotateKey } from '../../../../domains/keys/rotate-key.ts'
import { openDkimPrivateKey } from '../../../../domains/records/dkim-key.ts'
import { findKeyInState } from '../../../../domains/records/dkim-keys.ts'
import { AppError } from '../../../../lib/app-error.ts'
import type { AdministrationDeps } from '../../../app-deps.ts'
import { jsonResponse, refusals, WITH_SESSION } from '../../../docs/openapi.ts'
import { DomainNameParams } from '../../domains/domains.wire.ts'
import { BODY_REFUSALS, parseJsonBody } from '../../json-body.ts'
import {
  CURRENT_KEY,
  DkimKeysSchema,
  NewDkimKeyBody,
  NewDkimKeySchema,
  PrivateKeyParams,
  PrivateKeySchema,
  SelectorParams,
  toDkimKeys,
} from './dkim-keys.wire.ts'
import { requireNamedDomain } from './domain-owner.ts'

const config = { surface: 'v1', access: { operator: 'admin' } } as const

type Named = { Params: { name: string } }
type Selected = { Params: { name: string; selector: string } }

export function addAdminDkimKeys(scope: FastifyInstance, deps: AdministrationDeps): void {
  const { storage, clock, dkimSealer: sealer } = deps
  const { domains } = storage.control
  for (const schema of [DkimKeysSchema, NewDkimKeySchema, PrivateKeySchema]) scope.addSchema(schema)

  scope.get<Named>(
    '/v1/admin/domains/:name/keys',
    {
      config,
      schema: {
        operationId: 'listDkimKeys',
        summary: 'List the DKIM keys of a domain',
        params: DomainNameParams,
        response: {
          200: jsonResponse('The keys.', DkimKeysSchema.$id),
          ...refusals(...WITH_SESSION, 'not_found'),
        },
      },
    },
    async (request) => toDkimKeys(await requireNamedDomain(domains, request.params.name)),
  )

  scope.post<Named>(
    '/v1/admin/domains/:name/keys',
    {
      config,
      schema: {
        operationId: 'rotateDkimKey',
        summary: 'Create a DKIM key',
        description:
          'Creates a second key; the current one stays in use. Publish its record, check the domain, then promote the key. ' +
          'The first key of a domain is used at once. 409 while another new key is waiting to be promoted.',
        params: DomainNameParams,
        body: NewDkimKeyBody,
        response: {
          201: jsonResponse('Created.', NewDkimKeySchema.$id),
          ...refusals(...WITH_SESSION, ...BODY_REFUSALS, 'not_found', 'conflict', 'storage_unavailable'),
        },
      },
    },
    async (request, reply) => {
      const { name } = await requireNamedDomain(domains, request.params.name)
      const { algorithm = 'rsa' } = parseJsonBody(NewDkimKeyBody, request.body)
      const { domain, key } = await rotateKey({ domains, clock, sealer }, { name, algorithm })
      return reply.code(201).send({ ...toDkimKeys(domain), selector: key.selector })
    },
  )

  const changes = [
    {
      verb: 'promote',
      operationId: 'promoteDkimKey',
      summary: 'Promote a DKIM key',
      description:
        'Makes it the key in use. The last check must have found its record in DNS; otherwise 409. A previous key can be promoted again.',
      change: promoteKey,
    },
    {
      verb: 'retire',
      operationId: 'retireDkimKey',
      summary: 'Delete a DKIM key',
      description: 'A key in use cannot be deleted (409). The record of a deleted key is no longer checked.',
      change: retireKey,
    },
  ]
  for (const { verb, change, ...texts } of changes) {
    scope.post<Selected>(
      `/v1/admin/domains/:name/keys/:selector/${verb}`,
      {
        config,
        schema: {
          ...texts,
          params: SelectorParams,
          response: {
            200: jsonResponse('The keys after the change.', DkimKeysSchema.$id),
            ...refusals(...WITH_SESSION, 'not_found', 'conflict', 'payload_too_large', 'storage_unavailable'),
          },
        },
      },
      async ({ params }) => {
        const { name } = await requireNamedDomain(domains, params.name)
        return toDkimKeys(await change({ domains, clock }, { name, selector: params.selector }))
      },
    )
  }

  scope.get<Selected>(
    '/v1/admin/domains/:name/keys/:selector/private-key',
    {
      config,
      schema: {
        operationId: 'getDkimPrivateKey',
        summary: 'Get the private key of a DKIM key',
        description: 'For the mail server that signs. Anyone who has it can sign mail as the domain.',
        params: PrivateKeyParams,
        response: {
          200: jsonResponse('The key.', PrivateKeySchema.$id),
          ...refusals(...WITH_SESSION, 'not_found'),
        },
      },
    },
    async ({ params }) => {
      const domain = await requireNamedDomain(domains, params.name)
      const key = params.selector === CURRENT_KEY ? requireCurrentKey(domain) : requireKey(domain, params.selector)
      return { name: domain.name, selector: key.selector, privateKey: openDkimPrivateKey(key, sealer) }
    },
  )
}

function requireCurrentKey(domain: Domain): DkimKey {
  const key = findKeyInState(domain, 'current')
  if (!key) throw new AppError('not_found', `${domain.name} has no DKIM key.`)
  return key
}
