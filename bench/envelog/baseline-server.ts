/**
 * The best that the framework can do: an ingest that reads the body and answers, and pages that are sent from memory.
 *
 *     node bench/envelog/baseline-server.ts PAGES.json    the bodies of the pages by domain
 */
import { readFileSync } from 'node:fs'
import { serveWithRoutes } from './serve-with-routes.ts'

const pages = readPages(process.argv[2] ?? '')

await serveWithRoutes((scope) => {
  scope.post('/baseline/ingest', { config: { surface: 'operations', access: { operator: 'ingest' } } }, async () => ({
    stored: 1,
    duplicates: 0,
    rejected: [],
  }))
  scope.get<{ Params: { domain: string } }>(
    '/baseline/pages/:domain',
    { config: { surface: 'logs', access: { tenant: 'logs' } } },
    async (request, reply) => reply.type('application/json; charset=utf-8').send(pages.get(request.params.domain)),
  )
})

function readPages(path: string): ReadonlyMap<string, Buffer> {
  const bodies = JSON.parse(readFileSync(path, 'utf8')) as Record<string, string>
  return new Map(Object.entries(bodies).map(([domain, body]) => [domain, Buffer.from(body)]))
}
