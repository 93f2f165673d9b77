/** Builds the whole HTTP application. It does not listen, so that tests need no port. */
import type { FastifyInstance } from 'fastify'
import type { AppDeps } from './app-deps.ts'
import { buildBareApp } from './bare-app.ts'
import { addConsoleSurface } from './console/console-surface.ts'
import { addGuide } from './docs/guide-surface.ts'
import { addOpenapiIndex } from './docs/openapi.ts'
import { addReference } from './docs/reference-surface.ts'
import { addLogsSurface } from './logs/logs-surface.ts'
import { addOperationsSurface } from './ops/operations-surface.ts'
import { addPlatformSurface } from './platform/platform-surface.ts'
import { addStatsSurface } from './stats/get-domain-stats.ts'
import { addTrackingSurface } from './tracking/tracking-surface.ts'
import { addV1Surface } from './v1/v1-surface.ts'

/** Resolves when the app is ready. Rejects if a route does not declare its access. */
export async function buildApp(deps: AppDeps): Promise<FastifyInstance> {
  return buildBareApp(deps, (app) => {
    addOpenapiIndex(app)
    // Each in its own scope: see describeRoutes.
    app.register((scope) => addLogsSurface(scope, deps))
    app.register((scope) => addPlatformSurface(scope, deps))
    app.register((scope) => addStatsSurface(scope, deps))
    app.register((scope) => addV1Surface(scope, deps))
    app.register((scope) => addOperationsSurface(scope, deps))
    app.register((scope) => addTrackingSurface(scope, deps))
    addReference(app, deps.console)
    addGuide(app, deps.console)
    addConsoleSurface(app, deps.console)
  })
}
