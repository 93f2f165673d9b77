/** What goes beyond the interface: what the console is made of, and the administration. Answers under every host name. */
import type { FastifyInstance } from 'fastify'
import type { AppDeps } from '../app-deps.ts'
import { describeRoutes } from '../openapi.ts'
import { readSmallBodies } from './json-body.ts'
import { addSession } from './session.ts'

export async function addV1Surface(scope: FastifyInstance, deps: AppDeps): Promise<void> {
  await describeRoutes(scope, 'v1')
  readSmallBodies(scope)
  addSession(scope, deps)
}
