/** Endpoints beyond the interface: those of the console, and the administration. Served under every host name. */
import type { FastifyInstance } from 'fastify'
import { compressAnswers } from '../answers/compress-answers.ts'
import type { AppDeps } from '../app-deps.ts'
import { describeRoutes } from '../docs/openapi.ts'
import { loadValidation, readSmallBodies } from '../request/json-body.ts'
import { addAdministration } from './administration/administration.ts'
import { addDomains } from './domains/domains.ts'
import { addOwnDomains } from './domains/own-domains.ts'
import { addEvents } from './log/events.ts'
import { v1EventSchema } from './log/events.wire.ts'
import { addFacets } from './log/facets.ts'
import { addMessages } from './log/messages.ts'
import { addStream } from './log/stream.ts'
import { refuseTenantParameter } from './refuse-tenant.ts'
import { addQuotas } from './session/quotas.ts'
import { addSession } from './session/session.ts'
import { addDeliveryTimes } from './statistics/delivery-times.ts'
import { addFigures } from './statistics/figures.ts'
import { addInsights } from './statistics/insights.ts'
import { addSeries } from './statistics/series.ts'
import { addViews } from './views/views.ts'

export async function addV1Surface(scope: FastifyInstance, deps: AppDeps): Promise<void> {
  await describeRoutes(scope, 'v1')
  await loadValidation()
  readSmallBodies(scope)
  compressAnswers(scope)
  refuseTenantParameter(scope)
  scope.addSchema(v1EventSchema(deps.serviceMessageIdField))
  addSession(scope, deps)
  addQuotas(scope, deps)
  addViews(scope, deps)
  addEvents(scope, deps)
  addFacets(scope, deps)
  addStream(scope, deps)
  addMessages(scope, deps)
  addSeries(scope, deps)
  addFigures(scope)
  addInsights(scope, deps)
  addDeliveryTimes(scope, deps)
  addDomains(scope, deps)
  addOwnDomains(scope, deps)
  addAdministration(scope, deps)
}
