/** Opens what the server and the command line share: storage, the secrets of the installation, DNS, the clock. */
import { accessSync, constants, statSync } from 'node:fs'
import { join } from 'node:path'
import { openRetention } from './background/open-retention.ts'
import { createKnowledge } from './classification/knowledge.ts'
import { serviceMessageIdField } from './config/load-config.ts'
import type { Config } from './config/options.ts'
import { createConnectors } from './connectors/registry.ts'
import { readReport } from './connectors/report/read-report.ts'
import { createDns } from './dns/dns.ts'
import type { Dns } from './domains/dns-resolver.ts'
import type { RequiredRecordsOptions } from './domains/records/required-records.ts'
import { createCursors } from './events/log/cursor.ts'
import type { ServiceDeps } from './http/app-deps.ts'
import { AppError } from './lib/app-error.ts'
import { type Clock, systemClock } from './lib/clock.ts'
import { known } from './lib/known.ts'
import { openEventQuotas } from './open-event-quotas.ts'
import { DKIM_PURPOSE, openSecrets } from './open-secrets.ts'
import { createReferences } from './reports/reference.ts'
import { createReportIntake } from './reports/report-intake.ts'
import { CONTROL_FILE } from './storage/sqlite/control/control-database.ts'
import { FolderLockedError } from './storage/sqlite/database/data-folder-lock.ts'
import * as sqlite from './storage/sqlite/manifest/adopt-events.ts'
import { openSqliteStorage } from './storage/sqlite/open-sqlite-storage.ts'
import { createSessions } from './tenants/session.ts'

export interface Service extends ServiceDeps {
  readonly config: Config
  readonly dns: Dns
  /** Commits accepted events, then releases the data folder. */
  close(): Promise<void>
}

export interface OpenServiceOptions {
  readonly clock?: Clock
  /** Default: the configured servers. */
  readonly dns?: Dns
}

/** Throws AppError `conflict` for a second server, `storage_unavailable` for a folder that cannot be used. */
export async function openService(config: Config, options: OpenServiceOptions = {}): Promise<Service> {
  const { dataDir } = config
  const { clock = systemClock, dns = createDns({ servers: config.dnsServers ?? [] }) } = options
  const field = serviceMessageIdField(config)
  // Every file is readable by its owner only: a copy outside the folder is not protected by the folder's permissions.
  process.umask(0o077)
  // Undone when something fails.
  await using opening = new AsyncDisposableStack()
  try {
    requireOwnFolder(dataDir)
    const storage = await openSqliteStorage({
      dataDir,
      clock,
      serviceMessageIdField: field,
      quarantineBytes: config.quarantineMib * 1_048_576,
      ...known({ readers: config.readers }),
    })
    opening.defer(() => storage.close())
    const retention = await openRetention(storage, config, clock)
    const { accessSecret, dataSecret } = await openSecrets(config, storage.control, clock)
    const { keyring } = dataSecret
    const references = createReferences(keyring.signerFor('report reference'))
    opening.move()
    return {
      accessSecret,
      dataSecret,
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
      rates: { read: config.readRate, ingest: config.ingestRate },
      trustedProxies: config.trustedProxies,
      close: () => storage.close(),
    }
  } catch (error) {
    throw folderProblem(dataDir, error) ?? error
  }
}

/** Continues with a control.db that is older than the events. Throws AppError `conflict` if that is not safe. */
export function adoptEvents({ dataDir }: Config): sqlite.Adoption {
  try {
    requireOwnFolder(dataDir)
    return sqlite.adoptEvents(dataDir)
  } catch (error) {
    throw folderProblem(dataDir, error) ?? error
  }
}

/** Whether opening failed because another process is using the data folder. */
export function isFolderLocked(error: unknown): boolean {
  return error instanceof FolderLockedError
}

/** Whether the folder holds data. True if that cannot be determined: opening the folder then reports the problem. */
export function hasData(dataDir: string): boolean {
  try {
    return statSync(join(dataDir, CONTROL_FILE), { throwIfNoEntry: false }) !== undefined
  } catch {
    return true
  }
}

/** Files that root creates in another user's folder lock that user's server out: it could not write the day, nor restart. */
function requireOwnFolder(dataDir: string): void {
  if (process.geteuid?.() !== 0) return
  const owner = statSync(join(dataDir, CONTROL_FILE), { throwIfNoEntry: false })?.uid ?? 0
  if (owner === 0) return
  throw new AppError(
    'conflict',
    `The data folder ${dataDir} belongs to another user (uid ${owner}). Run this command as that user, for example with sudo -u '#${owner}'.`,
  )
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

const FOLDER_PROBLEMS: Readonly<Record<string, string>> = {
  EACCES: 'this user may not read or write it. Change its owner or permissions',
  EPERM: 'this user may not read or write it. Change its owner or permissions',
  EROFS: 'its file system is read-only. Mount it read-write',
  ENOTDIR: 'a part of the path is a file. Move the file',
  EEXIST: 'it is a file. Move the file',
  ENOSPC: 'the disk is full. Free some space',
}

/** By the primary result code of SQLite (the low byte of `errcode`). */
const SQLITE_PROBLEMS: Readonly<Record<number, string>> = {
  8: 'this user cannot write to a file in it. Change its owner or permissions',
  11: 'a file in it is damaged. Restore it from a backup',
  13: 'the disk is full. Free some space',
  14: 'this user cannot open a file in it. Change its owner or permissions',
  26: 'a file in it is not an Envelog database. Restore it from a backup',
}

/** Explains the usual problems and how to fix them; undefined for any other error. */
function folderProblem(dataDir: string, error: unknown): AppError | undefined {
  if (!(error instanceof Error)) return undefined
  const problem =
    'errcode' in error
      ? (accessProblem(dataDir) ?? SQLITE_PROBLEMS[Number(error.errcode) & 0xff])
      : 'code' in error
        ? FOLDER_PROBLEMS[String(error.code)]
        : undefined
  if (problem === undefined) return undefined
  return new AppError(
    'storage_unavailable',
    `The data folder ${dataDir} cannot be used: ${problem}, or set ENVELOG_DATA_DIR to another folder.`,
    { cause: error },
  )
}

/** SQLite says only that a file cannot be opened or written: a file system that is read-only, or the permissions of the folder. */
function accessProblem(dataDir: string): string | undefined {
  try {
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
    return undefined
  } catch (error) {
    return FOLDER_PROBLEMS[String((error as NodeJS.ErrnoException).code)]
  }
}
