/** GET /v1/views, PUT and DELETE /v1/views/{name}: the saved views of the caller's key. */
import type { FastifyInstance } from 'fastify'
import { AppError } from '../../../lib/app-error.ts'
import { parseViewName, saveView } from '../../../tenants/saved-views.ts'
import type { AppDeps } from '../../app-deps.ts'
import { json, noContent, routesOf } from '../../routes/route.ts'
import { toWireView, ViewBody, ViewParams, ViewSchema, ViewsSchema } from './views.wire.ts'

export function addViews(scope: FastifyInstance, { storage, clock }: AppDeps): void {
  const { views } = storage.control
  const route = routesOf(scope, 'v1', { tenant: 'logs', operator: 'read' })

  route('GET /v1/views', {
    operationId: 'listViews',
    summary: 'List saved views',
    description: 'Searches of the log that were saved with this key, in the console or by a program.',
    answer: json('The views, by name.', ViewsSchema),
    refusals: ['storage_unavailable'],
    handle: async ({ caller }) => ({ views: (await views.listViews(caller.keyId)).map(toWireView) }),
  })

  route('PUT /v1/views/:name', {
    operationId: 'saveView',
    summary: 'Save a view',
    description:
      'Replaces the view of the same name, and the one named by `replaces`, which renames it. Views belong to the key: they are deleted when it is revoked. A view that mentions the address of ' +
      'a recipient who is erased is deleted as well.',
    params: ViewParams,
    body: ViewBody,
    answer: json('The saved view.', ViewSchema),
    refusals: ['invalid_request', 'conflict', 'storage_unavailable'],
    async handle({ caller, params: { name }, body }) {
      const { query, replaces } = await body()
      return toWireView(await saveView({ views, clock }, caller.keyId, { name, query, replaces }))
    },
  })

  route('DELETE /v1/views/:name', {
    operationId: 'deleteView',
    summary: 'Delete a view',
    params: ViewParams,
    answer: noContent('Deleted.'),
    refusals: ['invalid_request', 'not_found', 'storage_unavailable'],
    async handle({ caller, params: { name } }) {
      if (!(await views.removeView(caller.keyId, parseViewName(name)))) {
        throw new AppError('not_found', 'View not found')
      }
    },
  })
}
