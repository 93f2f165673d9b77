/** The storage of an installation, behind three ports: the event log, the control store, and optional capabilities. */
import type { AuditStore } from '../audit/audit-store.ts'
import type { DomainStore } from '../domains/domain-store.ts'
import type { QuarantineStore } from '../events/ingest/quarantine-store.ts'
import type { EventLog } from '../events/log/event-log.ts'
import type { RemovalStore } from '../events/removal/removal-store.ts'
import type { RetentionStore } from '../events/retention/retention-store.ts'
import { AppError } from '../lib/app-error.ts'
import type { SecretStore } from '../lib/sealing/secret-store.ts'
import type { SharedState } from '../lib/shared-state.ts'
import type { EventCounts } from '../stats/event-counts.ts'
import type { KeyStore } from '../tenants/key-store.ts'
import type { SessionStore } from '../tenants/session-store.ts'
import type { ViewStore } from '../tenants/view-store.ts'

/** As of a moment ago: the engine refreshes it, reading it costs nothing. */
export interface StorageHealth {
  readonly writable: boolean
  /** Events accepted from callers and not yet committed. */
  readonly queuedEvents: number
  /** For engines with queues of their own. */
  readonly reads?: ReadLoad
  /** For engines that several servers share: databases without which this server answers nothing, not even reads, and that it cannot reach. */
  readonly unreachable?: readonly string[]
}

/** Reads that run and that wait for others of their tenant, and how long all reads so far have waited together. */
export interface ReadLoad {
  readonly running: number
  readonly waiting: number
  readonly waitedMs: number
  /** Pages of the newest events of a domain so far, if the engine keeps some in memory. */
  readonly newestPages?: { readonly fromMemory: number; readonly fromFiles: number }
}

/**
 * Reads may be up to two seconds old if another server of the installation made the change; a change made through this
 * handle is seen by its next read. Lists: binary collation, null first, ties by id, page and count from one snapshot.
 */
export interface ControlStore {
  readonly keys: KeyStore
  readonly domains: DomainStore
  readonly quarantine: QuarantineStore
  readonly secrets: SecretStore
  readonly sessions: SessionStore
  readonly views: ViewStore
  readonly audit: AuditStore
  readonly removals: RemovalStore
  readonly retention: RetentionStore
}

/** The size of one day. */
export interface DayUse {
  /** YYYY-MM-DD, UTC. */
  readonly day: string
  readonly bytes: number
  readonly events: number
}

/**
 * `missing`: known, but its file is gone. `emptied`: it holds fewer events than it had. `foreign`: it is not of this installation
 * or not of this day. `newer`: a newer version wrote it. `damaged`: its content is wrong. `unreadable`: it cannot be opened or read at
 * the moment; it is checked again automatically.
 */
export const TROUBLE_KINDS = ['missing', 'emptied', 'foreign', 'newer', 'damaged', 'unreadable'] as const
export type TroubleKind = (typeof TROUBLE_KINDS)[number]

/** A day that is set aside: it is neither read nor written, and all other days are. */
export interface DayTrouble {
  /** YYYY-MM-DD, UTC. */
  readonly day: string
  readonly kind: TroubleKind
  readonly sinceMs: number
  /** What is wrong and what to do, in a sentence or two. */
  readonly detail: string
}

/** What a repair has saved of a day. */
export interface DayRepair {
  readonly day: string
  /** Events. */
  readonly saved: number
  readonly lost: number
  /** Lost events of each of the 24 hours (UTC); those whose hour is not known are in none of them. */
  readonly lostByHour: readonly number[]
  readonly damagedPages: number
  /** Tables with something else than events that could not be read. */
  readonly lostTables: readonly string[]
  /** The name under which the damaged file is kept. */
  readonly keptAs: string
}

/** `remaining`: days that are not in the index yet. `isLost`: it was damaged and is built again. */
export type HistoryProgress =
  | { readonly remaining: number }
  | { readonly isLost: true }
  | { readonly failed: string; readonly day?: string }

export interface BackupRequest {
  /** The folder of backups. Each backup is a folder of its own in it, complete without the others. */
  readonly folder: string
  /** How many backups to keep, with the new one; the oldest are removed after it is complete. Default: all. */
  readonly keep?: number | undefined
  /** Adds the secret to the copy, after everything else. Returns its id, and its file if it was added. */
  readonly addSecret?: (copy: string) => Promise<{ readonly id: string; readonly file?: string }>
  readonly onProgress?: (progress: BackupProgress) => void
}

export interface BackupProgress {
  /** Its path. */
  readonly file: string
  readonly isDone: boolean
  /** Copied so far, of all files. */
  readonly bytes: number
  readonly bytesTotal: number
}

/** A day that could not be copied as it should be. */
export interface BackupProblem {
  /** YYYY-MM-DD, UTC. */
  readonly day: string
  readonly problem: string
  /** Its bytes as they were found, in the backup. */
  readonly file?: string
}

export interface BackupReport {
  /** The new backup. */
  readonly folder: string
  readonly files: readonly string[]
  /** Of all files, and of those that had changed since the last backup; the others are shared with it. */
  readonly bytes: number
  readonly copiedBytes: number
  readonly problems: readonly BackupProblem[]
  /** Earlier backups that were removed. */
  readonly removed: readonly string[]
  readonly secret?: { readonly id: string; readonly isIncluded: boolean }
}

export interface LastBackup {
  readonly folder: string
  readonly finishedAtMs: number
  readonly durationMs: number
  readonly bytes: number
  /** Days that it does not contain as they should be. */
  readonly problems: number
}

/** An engine has those that make sense for it; `requireCapability` refuses the others. */
export interface Capabilities {
  /** The size of each day, newest first, for engines that keep days apart. */
  readonly days?: { list(): Promise<readonly DayUse[]>; readonly count: number }
  /** Days that are set aside, newest first. */
  readonly troubles?: {
    list(): readonly DayTrouble[]
    /** Calls the listener for each of them, and for each that follows; the other one for each that is used again. */
    follow(onSetAside: (trouble: DayTrouble) => void, onTakenBack?: (trouble: DayTrouble) => void): void
    /** Days that were set aside and are used again, since the start. */
    readonly takenBack: number
    /**
     * Continues without a missing day, or with what is left of an emptied one. Throws AppError `not_found` for a day that is not
     * set aside, `conflict` for one that cannot be used.
     */
    accept(day: string): Promise<void>
  }
  /** An index of closed days that is built in the background: answers are the same without it, but take longer. */
  readonly history?: {
    readonly remaining: number | undefined
    watch(onProgress: (progress: HistoryProgress) => void): Disposable
  }
  /** Saves what can be read of a damaged day, and takes the day back. */
  readonly repair?: { run(day: string, onProgress?: (percent: number) => void): Promise<DayRepair> }
  /** Copies of everything that a restore needs, taken while the service runs, into a folder of the server's machine. */
  readonly backup?: {
    run(request: BackupRequest): Promise<BackupReport>
    /** The last one that succeeded, also before a restart. */
    readonly last: LastBackup | undefined
  }
  /** Sums up the counts of days that are over, for engines in which counts of all days would take too long. To be called once an hour. */
  readonly closing?: { run(nowMs: number, signal: AbortSignal): Promise<void> }
  /** Counts the events again and compares; an empty list means that every counter is right. */
  readonly recount?: {
    run(onProgress?: (unit: string) => void): Promise<readonly string[]>
    /** Also corrects the counters; returns what was wrong. For engines in which counts and events are stored one after the other. */
    repair?(onProgress?: (unit: string) => void): Promise<readonly string[]>
  }
}

export interface DiskUse {
  /** Of the file system that has the data. */
  readonly freeBytes: number
  readonly sizeBytes: number
  /** Write-ahead logs. */
  readonly walBytes: number
}

/** For monitoring; engines whose data is elsewhere lack it. */
export interface StorageObservation {
  disk(): Promise<DiskUse>
  /** Called with the duration of each commit of events in milliseconds. */
  onCommit(listener: (durationMs: number) => void): void
}

/** The state of a cluster, as of some seconds ago, and what this server has counted since its start. */
export interface ClusterFigures {
  readonly isPostgresReachable: boolean
  readonly isClickHouseReachable: boolean
  /** Replicas of all shards; those that answer, and those of them that cannot be written. */
  readonly members: number
  readonly reachableMembers: number
  readonly readOnlyMembers: number
  /** Of the replica that is furthest behind. */
  readonly lagSeconds: number
  /** Batches of events that are decided and not stored everywhere yet. */
  readonly unfinishedBatches: number
  readonly oldestBatchMs: number
  /** Locks of shards that this server has taken, and how long it has waited for them. */
  readonly locks: number
  readonly lockWaitMs: number
  /** Reads that may have missed the newest events. */
  readonly relaxedReads: number
  /** Requests that were repeated at another address. */
  readonly failovers: number
}

export interface Storage {
  readonly log: EventLog & EventCounts
  readonly control: ControlStore
  readonly capabilities: Capabilities
  readonly health: StorageHealth
  /** For engines that several servers use at the same time. Absent: the installation is one server, with all state in its data folder. */
  readonly shared?: SharedState
  /** Noticed when it was opened, and worth a line in the log. */
  readonly notices?: readonly string[]
  readonly observation?: StorageObservation
  /** For engines on several machines. */
  readonly cluster?: { readonly figures: ClusterFigures }
  /** The service is about to close: reads that take long end now, with AppError `storage_unavailable`. */
  endReads?(): void
  /** Commits what was accepted, then closes. */
  close(): Promise<void>
}

const WITHOUT: Readonly<Record<keyof Capabilities, string>> = {
  days: 'does not store events by day',
  history: 'has no index of closed days',
  troubles: 'sets no days aside: ClickHouse restores a damaged replica from the others',
  backup:
    "has no backup of its own. Use the databases' own tools: BACKUP for ClickHouse first, then pg_dump for PostgreSQL (docs/scaling.md)",
  repair: 'does not repair days: ClickHouse repairs a damaged replica from the others',
  closing: 'needs no sums of closed days',
  recount: 'cannot recount its events',
}

/** Throws AppError `conflict` where the engine lacks it. */
export function requireCapability<Name extends keyof Capabilities>(
  { capabilities }: Pick<Storage, 'capabilities'>,
  name: Name,
): NonNullable<Capabilities[Name]> {
  const capability = capabilities[name]
  if (!capability) throw new AppError('conflict', `This storage engine ${WITHOUT[name]}.`)
  return capability
}
