/** The dependencies that the HTTP layer takes from an opened service, the same in a server and in a command. */
import type { AdministrationDeps } from './http/app-deps.ts'
import type { Service } from './open-service.ts'

type OfService = Omit<AdministrationDeps, 'keyUses' | 'metrics' | 'verifications' | 'logger' | 'localToken'>

export function appDepsOf(service: Service): OfService {
  const { config } = service
  return {
    storage: service.storage,
    clock: service.clock,
    cursors: service.cursors,
    sessions: service.sessions,
    sealerFor: service.sealerFor,
    dkimSealer: service.dkimSealer,
    recordOptions: service.recordOptions,
    connectors: service.connectors,
    reports: service.reports,
    references: service.references,
    returnPathLabel: config.returnPathLabel,
    trackingSecret: service.trackingSecret,
    retentionMs: config.retentionMs,
    serviceMessageIdField: service.serviceMessageIdField,
    hosts: { logs: config.logsHost, stats: config.statsHost, platform: config.platformHost },
    queryBudgetMs: config.queryBudgetMs,
  }
}
