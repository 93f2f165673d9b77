/** GET and POST /v1/admin/keys, DELETE /v1/admin/keys/{id}. */
import type { FastifyInstance } from 'fastify'
import { AppError } from '../../../lib/app-error.ts'
import { createKey } from '../../../tenants/create-key.ts'
import type { AdministrationDeps } from '../../app-deps.ts'
import { jsonResponse, refusals, WITH_SESSION } from '../../docs/openapi.ts'
import { BODY_REFUSALS, parseJsonBody } from '../json-body.ts'
import { ApiKeySchema, ApiKeysSchema, CreatedKeySchema, KeyParams, NewKeyBody, toWireKey } from './keys.wire.ts'

const config = { surface: 'v1', access: { operator: 'admin' } } as const

export function addAdminKeys(scope: FastifyInstance, { storage, keyUses, clock }: AdministrationDeps): void {
  const { keys } = storage.control
  for (const schema of [ApiKeySchema, ApiKeysSchema, CreatedKeySchema]) scope.addSchema(schema)

  scope.get(
    '/v1/admin/keys',
    {
      config,
      schema: {
        operationId: 'listKeys',
        summary: 'All keys',
        description: 'Of all tenants and of the operator, revoked ones too. The keys themselves are not known.',
        response: { 200: jsonResponse('The keys.', ApiKeysSchema.$id), ...refusals(...WITH_SESSION) },
      },
    },
    async () => {
      // Uses are written down now and then; whoever looks wants to see the last ones. Without them it is a look all the same.
      await keyUses.flush().catch(() => undefined)
      return { keys: (await keys.listKeys()).toReversed().map(toWireKey) }
    },
  )

  scope.post(
    '/v1/admin/keys',
    {
      config,
      schema: {
        operationId: 'createKey',
        summary: 'Create a key',
        description: 'For a tenant or for the operator. The key is in this answer and nowhere else.',
        body: NewKeyBody,
        response: {
          201: jsonResponse('Created.', CreatedKeySchema.$id),
          ...refusals(...WITH_SESSION, ...BODY_REFUSALS, 'invalid_request', 'not_found', 'storage_unavailable'),
        },
      },
    },
    async (request, reply) => {
      const { tenant, scopes = [] } = parseJsonBody(NewKeyBody, request.body)
      const owner = tenant === undefined ? ({ operator: true } as const) : { tenantName: tenant }
      return reply.code(201).send(await createKey({ keys, clock }, owner, scopes))
    },
  )

  scope.delete<{ Params: { id: string } }>(
    '/v1/admin/keys/:id',
    {
      config,
      schema: {
        operationId: 'revokeKey',
        summary: 'Revoke a key',
        description:
          'It is refused within two seconds everywhere, and its sessions end. Revoking twice changes nothing.',
        params: KeyParams,
        response: {
          204: { description: 'Revoked.', type: 'null' },
          ...refusals(...WITH_SESSION, 'not_found', 'payload_too_large', 'storage_unavailable'),
        },
      },
    },
    async (request, reply) => {
      if (!(await keys.revokeKey(request.params.id, clock()))) throw new AppError('not_found', 'There is no such key')
      return reply.code(204).send()
    },
  )
}
