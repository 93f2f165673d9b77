/**
 * The product's own server with two routes more, for what its framework can do at best: an ingest that reads the body and
 * answers, and pages that are sent from memory. Same hooks, same key check, same log; nothing behind them.
 *
 *     node bench/baseline-server.ts PAGES.json    with the bodies of the pages by domain
 */
import { subscribe } from 'node:diagnostics_channel'
import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import { loadConfig } from '../src/config/load-config.ts'
import { readEnvironment } from '../src/config/read-environment.ts'
import { greet, serve } from '../src/main.ts'

const pages = readPages(process.argv[2] ?? '')

// The app takes no routes from outside. The framework announces each instance while it is still empty, and a plugin that is
// registered now is loaded after the app has added its hooks.
subscribe('fastify.initialization', (message) => {
  const { fastify } = message as { fastify: FastifyInstance }
  fastify.register(addBaselineRoutes)
})

await serve(loadConfig(readEnvironment()), { onListening: greet })

async function addBaselineRoutes(scope: FastifyInstance): Promise<void> {
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
}

function readPages(path: string): ReadonlyMap<string, Buffer> {
  const bodies = JSON.parse(readFileSync(path, 'utf8')) as Record<string, string>
  return new Map(Object.entries(bodies).map(([domain, body]) => [domain, Buffer.from(body)]))
}
