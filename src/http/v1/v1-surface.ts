/** What goes beyond the interface: what the console is made of, and the administration. Answers under every host name. */
import type { FastifyInstance } from 'fastify'
import type { AppDeps } from '../app-deps.ts'
import { describeRoutes } from '../openapi.ts'
import { addAdminDomains } from './admin-domains.ts'
import { addAdminHealth } from './admin-health.ts'
import { addAdminKeys } from './admin-keys.ts'
import { addAdminQuarantine } from './admin-quarantine.ts'
import { addAdminTenants } from './admin-tenants.ts'
import { addDomains } from './domains.ts'
import { addEvents } from './events.ts'
import { v1EventSchema } from './events.wire.ts'
import { readSmallBodies } from './json-body.ts'
import { addMessages } from './messages.ts'
import { addSeries } from './series.ts'
import { addSession } from './session.ts'
import { addStream } from './stream.ts'

export async function addV1Surface(scope: FastifyInstance, deps: AppDeps): Promise<void> {
  await describeRoutes(scope, 'v1')
  readSmallBodies(scope)
  scope.addSchema(v1EventSchema(deps.serviceMessageIdField))
  addSession(scope, deps)
  addEvents(scope, deps)
  addStream(scope, deps)
  addMessages(scope, deps)
  addSeries(scope, deps)
  addDomains(scope, deps)
  addAdminTenants(scope, deps)
  addAdminKeys(scope, deps)
  addAdminDomains(scope, deps)
  addAdminHealth(scope, deps)
  addAdminQuarantine(scope, deps)
}
