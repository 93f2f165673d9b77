/** /v1/admin: administration by the operator, used by the console, the command line and other programs. */
import type { FastifyInstance } from 'fastify'
import type { AdministrationDeps } from '../../app-deps.ts'
import { addAdminDkimKeys } from './domains/dkim-keys.ts'
import { addAdminDomain } from './domains/domain.ts'
import { addAdminDomains } from './domains/domains.ts'
import { addAdminHealth } from './health.ts'
import { addAdminKeys } from './keys.ts'
import { addAdminBackup } from './maintenance/backup.ts'
import { addAdminRecount } from './maintenance/recount.ts'
import { addAdminQuarantine } from './quarantine.ts'
import { addAdminReturnPaths } from './signing/return-paths.ts'
import { addAdminTrackingSecret } from './signing/tracking-secret.ts'
import { addAdminTenants } from './tenants.ts'

export function addAdministration(scope: FastifyInstance, deps: AdministrationDeps): void {
  addAdminTenants(scope, deps)
  addAdminKeys(scope, deps)
  addAdminDomains(scope, deps)
  addAdminDomain(scope, deps)
  addAdminDkimKeys(scope, deps)
  addAdminHealth(scope, deps)
  addAdminQuarantine(scope, deps)
  addAdminReturnPaths(scope, deps)
  addAdminTrackingSecret(scope, deps)
  addAdminBackup(scope, deps)
  addAdminRecount(scope, deps)
}
