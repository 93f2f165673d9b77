/**
 * A storage engine as the laboratory sees it. Everything goes through the program: a server that is started, asked over HTTP and
 * killed, and the command line. An engine joins by implementing `Engine` and by being passed to the tests; it leaves out the
 * kinds of fault that cannot happen to it, such as a flipped page of a database that keeps checksums itself.
 */
import type { CliResult } from '../../harness/programs/run-cli.ts'
import type { ServerProcess } from '../../harness/programs/server-process.ts'

export interface Tenant {
  readonly name: string
  readonly domains: readonly string[]
}

/** Two, so that data under a foreign domain is seen. */
export const TENANTS: readonly Tenant[] = [
  { name: 'acme', domains: ['acme.test', 'news.acme.test'] },
  { name: 'other', domains: ['other.test'] },
]

export interface Keys {
  readonly ingest: string
  /** With every tenant scope, by tenant. */
  readonly tenants: ReadonlyMap<string, string>
}

export interface StartOptions {
  /** Additional variables, such as those of the fault layer. */
  readonly env?: Readonly<Record<string, string>>
}

/** One installation. */
export interface Site {
  readonly keys: Keys
  /**
   * The folder that the server process writes, which the fault layer covers. An engine whose data is written by another process
   * lets `start` preload the layer there, and kill that process together with the server.
   */
  readonly dataDir: string
  /** Rejects, with what the program printed, if it ends before it serves. */
  start(options?: StartOptions): Promise<ServerProcess>
  cli(...args: readonly string[]): Promise<CliResult>
  /** Files that can be damaged, exchanged or removed while nothing runs; for engines that own files. */
  readonly files?: SiteFiles
}

export interface SiteFiles {
  /** The files of events by day (YYYY-MM-DD), oldest first. Each day has its own. */
  days(): readonly { readonly day: string; readonly path: string }[]
  /** Tenants, keys and domains. */
  readonly control: string
  /** The days that the engine does not use because something is wrong with them. */
  listSetAside(): Promise<readonly string[]>
  /** Saves what can be read of a day, and uses it again; returns how many events are lost. */
  repair(day: string): Promise<number>
}

export interface Engine {
  readonly name: string
  /** Names of kinds (kinds.ts) that cannot happen to this engine. */
  readonly withoutKinds: ReadonlySet<string>
  /** A new installation in the folder, with TENANTS, their domains and keys. */
  install(folder: string): Promise<Site>
  /** An installation that was stopped, copied to another folder. */
  copy(site: Site, folder: string): Promise<Site>
  /** A backup of the site that `envelog backup` has made, restored into another folder as the documentation says. */
  restore(site: Site, backup: string, folder: string): Promise<Site>
}
