/** GET /openapi/index.json: the list of OpenAPI documents. */
import type { FastifyInstance } from 'fastify'
import { DOCUMENTS, documentPath } from './openapi.ts'

export function addOpenapiIndex(scope: FastifyInstance): void {
  const documents = DOCUMENTS.map(({ name, title, version, description }) => {
    return { name, title, version, description, url: documentPath(name) }
  })
  scope.get(
    '/openapi/index.json',
    { config: { surface: 'docs', access: 'public' }, schema: { hide: true } },
    async () => ({ documents }),
  )
}
