/** Opens what the server and the command line share: storage, the secrets of the installation, DNS, the clock. */
import { openRetention } from './background/open-retention.ts'
import { createKnowledge } from './classification/knowledge.ts'
import { serviceMessageIdField } from './config/load-config.ts'
import type { Config } from './config/options.ts'
import { createConnectors } from './connectors/registry.ts'
import { readReport } from './connectors/report/read-report.ts'
import { folderProblem, requireOwnFolder } from './data-folder.ts'
import { createDns } from './dns/dns.ts'
import type { Dns } from './domains/dns-resolver.ts'
import type { RequiredRecordsOptions } from './domains/records/required-records.ts'
import { createCursors } from './events/log/cursor.ts'
import type { ServiceDeps } from './http/app-deps.ts'
import { type Clock, systemClock } from './lib/clock.ts'
import { known } from './lib/known.ts'
import { openEventQuotas } from './open-event-quotas.ts'
import { DKIM_PURPOSE, openSecrets, type Secrets } from './open-secrets.ts'
import { openStorage } from './open-storage.ts'
import { createReferences } from './reports/reference.ts'
import { createReportIntake } from './reports/report-intake.ts'
import { createSessions } from './tenants/session.ts'

export interface Service extends ServiceDeps, Pick<Secrets, 'refreshSecrets'> {
  readonly config: Config
  readonly dns: Dns
  /** Commits accepted events, then releases the data folder. */
  close(): Promise<void>
}

export interface OpenServiceOptions {
  readonly clock?: Clock
  /** Default: the configured servers. */
  readonly dns?: Dns
  /** A bug in the background, which no caller is told of. */
  readonly onError?: (error: unknown) => void
}

/** Throws AppError `conflict` for a second server on the folder, `storage_unavailable` for a folder or a database that cannot be used. */
export async function openService(config: Config, options: OpenServiceOptions = {}): Promise<Service> {
  const { dataDir } = config
  const { clock = systemClock, dns = createDns({ servers: config.dnsServers ?? [] }) } = options
  const field = serviceMessageIdField(config)
  // Every file is readable by its owner only: a copy outside the folder is not protected by the folder's permissions.
  process.umask(0o077)
  // Undone when something fails.
  await using opening = new AsyncDisposableStack()
  try {
    requireOwnFolder(config)
    const storage = await openStorage(config, clock, options.onError)
    opening.defer(() => storage.close())
    const retention = await openRetention(storage, config, clock)
    const { accessSecret, dataSecret, refreshSecrets } = await openSecrets(config, storage, clock)
    const { keyring } = dataSecret
    const references = createReferences(keyring.signerFor('report reference'))
    opening.move()
    return {
      accessSecret,
      dataSecret,
      ...known({ refreshSecrets }),
      config,
      clock,
      storage,
      references,
      reports: createReportIntake({
        ...storage.control,
        log: storage.log,
        clock,
        knownTime: retention,
        references,
        readReport,
        knowledge: createKnowledge(config),
        retentionMs: config.retentionMs,
        serviceMessageIdField: field,
        allowsUnsigned: config.reportProof === 'issued',
      }),
      serviceMessageIdField: field,
      cursors: createCursors(keyring.sealerFor('cursor'), clock, 'next_token'),
      sessions: createSessions({
        sealer: accessSecret.sealerFor('session'),
        accessId: () => accessSecret.id,
        store: storage.control.sessions,
        clock,
        knownTime: retention,
      }),
      sealerFor: (purpose) => keyring.sealerFor(purpose),
      connectors: createConnectors(config),
      trackingSigner: keyring.signerFor('tracking token'),
      dkimSealer: keyring.sealerFor(DKIM_PURPOSE),
      eventQuotas: openEventQuotas(storage, clock),
      dns,
      recordOptions: recordOptionsOf(config),
      returnPathLabel: config.returnPathLabel,
      retentionMs: config.retentionMs,
      retention,
      hosts: { logs: config.logsHost, stats: config.statsHost, platform: config.platformHost },
      queryBudgetMs: config.queryBudgetMs,
      tenantsSeeSending: config.showSendingAddresses === 'tenants',
      tenantsAddDomains: config.addDomains === 'tenants',
      rates: { read: config.readRate, ingest: config.ingestRate },
      trustedProxies: config.trustedProxies,
      close: () => storage.close(),
    }
  } catch (error) {
    throw folderProblem(dataDir, error) ?? error
  }
}

function recordOptionsOf(config: Config): RequiredRecordsOptions {
  const { spfInclude, returnPathHost, returnPathLabel, trackingHost, trackingLabel, mxHost, requireRecords } = config
  return {
    spfInclude,
    returnPath: returnPathHost === undefined ? undefined : { label: returnPathLabel, host: returnPathHost },
    tracking: trackingHost === undefined ? undefined : { label: trackingLabel, host: trackingHost },
    mxHost,
    alsoRequired: requireRecords ?? [],
  }
}
