/** The product's own server with more routes: same framework, hooks, key check and log; other handlers. */
import { subscribe } from 'node:diagnostics_channel'
import type { FastifyInstance } from 'fastify'
import { loadConfig } from '../../src/config/load-config.ts'
import { readEnvironment } from '../../src/config/read-environment.ts'
import { greet, serve } from '../../src/main.ts'

export async function serveWithRoutes(addRoutes: (scope: FastifyInstance) => void): Promise<void> {
  // The app takes no routes from outside. The framework announces each instance while it is still empty, and a plugin that
  // is registered then is loaded after the app has added its hooks.
  subscribe('fastify.initialization', (message) => {
    const { fastify } = message as { fastify: FastifyInstance }
    fastify.register(async (scope) => addRoutes(scope))
  })
  await serve(loadConfig(readEnvironment()), { onListening: greet })
}
