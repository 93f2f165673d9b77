/** The endpoints for recipients of mail: pixels and links. Public, under every host name. */
import type { FastifyInstance } from 'fastify'
import type { AppDeps } from '../app-deps.ts'
import { describeRoutes } from '../docs/openapi.ts'
import { addGetClick } from './get-click.ts'
import { addGetOpen } from './get-open.ts'

export async function addTrackingSurface(scope: FastifyInstance, deps: AppDeps): Promise<void> {
  await describeRoutes(scope, 'tracking')
  addGetOpen(scope, deps)
  addGetClick(scope, deps)
}
