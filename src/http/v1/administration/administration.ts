/** /v1/admin: administration by the operator, used by the console, the command line and other programs. */
import type { FastifyInstance } from 'fastify'
import type { AdministrationDeps } from '../../app-deps.ts'
import { routesOf } from '../../routes/route.ts'
import { addAuditLog } from './audit/audit-log.ts'
import { addDkimKeys } from './domains/dkim-keys.ts'
import { addDomains } from './domains/domains.ts'
import { addHealth } from './health.ts'
import { addKeys } from './keys.ts'
import { addDays } from './maintenance/days.ts'
import { Jobs } from './maintenance/jobs.ts'
import { addMaintenance } from './maintenance/maintenance.ts'
import { addRetention } from './maintenance/retention.ts'
import { addSecrets } from './maintenance/secrets.ts'
import { addQuarantine } from './quarantine.ts'
import { addRemovals } from './removal/removals.ts'
import { addSigning } from './signing.ts'
import { addTenants } from './tenants.ts'

export function addAdministration(scope: FastifyInstance, deps: AdministrationDeps): void {
  const route = routesOf(scope, 'v1', { operator: 'admin' })
  addTenants(route, deps)
  addKeys(route, deps)
  addDomains(route, deps)
  addDkimKeys(route, deps)
  addHealth(route, deps)
  addQuarantine(route, deps)
  addRemovals(route, deps)
  addSigning(route, deps)
  const jobs = new Jobs()
  addMaintenance(route, deps, jobs)
  addDays(route, deps)
  addSecrets(route, deps, jobs)
  addRetention(route, deps)
  addAuditLog(route, deps)
}
