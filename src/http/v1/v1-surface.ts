/** Endpoints beyond the interface: those of the console, and the administration. Served under every host name. */
import type { FastifyInstance } from 'fastify'
import type { AppDeps } from '../app-deps.ts'
import { describeRoutes } from '../docs/openapi.ts'
import { loadValidation, readSmallBodies } from '../request/json-body.ts'
import { addAdministration } from './administration/administration.ts'
import { addDomains } from './domains/domains.ts'
import { addEvents } from './log/events.ts'
import { v1EventSchema } from './log/events.wire.ts'
import { addMessages } from './log/messages.ts'
import { addStream } from './log/stream.ts'
import { addSession } from './session/session.ts'
import { addSeries } from './statistics/series.ts'

export async function addV1Surface(scope: FastifyInstance, deps: AppDeps): Promise<void> {
  await describeRoutes(scope, 'v1')
  await loadValidation()
  readSmallBodies(scope)
  scope.addSchema(v1EventSchema(deps.serviceMessageIdField))
  addSession(scope, deps)
  addEvents(scope, deps)
  addStream(scope, deps)
  addMessages(scope, deps)
  addSeries(scope, deps)
  addDomains(scope, deps)
  addAdministration(scope, deps)
}
