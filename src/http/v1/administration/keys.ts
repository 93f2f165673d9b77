/** GET and POST /v1/admin/keys, DELETE /v1/admin/keys/{id}. */
import { AppError } from '../../../lib/app-error.ts'
import { createKey } from '../../../tenants/create-key.ts'
import type { AdministrationDeps } from '../../app-deps.ts'
import { type AddAdminRoute, created, json, noContent } from '../../routes/route.ts'
import { ApiKeysSchema, CreatedKeySchema, KeyParams, NewKeyBody, toWireKey } from './keys.wire.ts'

export function addKeys(route: AddAdminRoute, { storage, keyUses, clock }: AdministrationDeps): void {
  const { keys } = storage.control

  route('GET /v1/admin/keys', {
    operationId: 'listKeys',
    summary: 'List API keys',
    description:
      'API keys of all tenants and of the operator, including revoked ones. The keys themselves are not stored.',
    answer: json('The keys.', ApiKeysSchema),
    async handle() {
      // Uses are written in batches; write the pending ones first. A failure only makes the list slightly older.
      await keyUses.flush().catch(() => undefined)
      return { keys: (await keys.listKeys()).toReversed().map(toWireKey) }
    },
  })

  route('POST /v1/admin/keys', {
    operationId: 'createKey',
    summary: 'Create an API key',
    description: 'For a tenant or for the operator. The key is returned only in this response.',
    body: NewKeyBody,
    answer: created(CreatedKeySchema),
    refusals: ['invalid_request', 'not_found', 'storage_unavailable'],
    async handle({ body, about }) {
      const { tenant, scopes = [] } = await body()
      const owner = tenant === undefined ? ({ operator: true } as const) : { tenantName: tenant }
      const key = await createKey({ keys, clock }, owner, scopes)
      about(key.id)
      return key
    },
  })

  route('DELETE /v1/admin/keys/:id', {
    operationId: 'revokeKey',
    summary: 'Revoke an API key',
    description: 'Takes effect within two seconds, also for its sessions. Revoking a key again has no effect.',
    params: KeyParams,
    answer: noContent('Revoked.'),
    refusals: ['storage_unavailable'],
    async handle({ params }) {
      if (!(await keys.revokeKey(params.id, clock()))) throw new AppError('not_found', 'API key not found')
    },
  })
}
