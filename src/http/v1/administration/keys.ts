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
        summary: 'List API keys',
        description:
          'API keys of all tenants and of the operator, including revoked ones. The keys themselves are not stored.',
        response: { 200: jsonResponse('The keys.', ApiKeysSchema.$id), ...refusals(...WITH_SESSION) },
      },
    },
    async () => {
      // Uses are written in batches; write the pending ones first. A failure only makes the list slightly older.
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
        summary: 'Create an API key',
        description: 'For a tenant or for the operator. The key is returned only in this response.',
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
        summary: 'Revoke an API key',
        description: 'Takes effect within two seconds, also for its sessions. Revoking a key again has no effect.',
        params: KeyParams,
        response: {
          204: { description: 'Revoked.', type: 'null' },
          ...refusals(...WITH_SESSION, 'not_found', 'payload_too_large', 'storage_unavailable'),
        },
      },
    },
    async (request, reply) => {
      if (!(await keys.revokeKey(request.params.id, clock()))) throw new AppError('not_found', 'API key not found')
      return reply.code(204).send()
    },
  )
}
