/** Opens the storage engine that the configuration selects. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { serviceMessageIdField } from './config/load-config.ts'
import type { Config } from './config/options.ts'
import type { Clock } from './lib/clock.ts'
import { known } from './lib/known.ts'
import { makeFolder } from './lib/make-folder.ts'
import { CONTROL_FILE } from './storage/sqlite/control/control-file.ts'
import { lockDataFolder } from './storage/sqlite/database/data-folder-lock.ts'
import { requireNotMoved } from './storage/sqlite/manifest/moved-marker.ts'
import { openSqliteStorage } from './storage/sqlite/open-sqlite-storage.ts'
import type { Storage } from './storage/storage.ts'

/** `onError`: a bug that no caller is told of. */
export async function openStorage(config: Config, clock: Clock, onError?: (error: unknown) => void): Promise<Storage> {
  if (config.storage === 'clickhouse') return openShared(config, clock, onError)
  requireNotMoved(config.dataDir)
  return openSqliteStorage({
    dataDir: config.dataDir,
    clock,
    serviceMessageIdField: serviceMessageIdField(config),
    quarantineBytes: quarantineBytesOf(config),
    ...known({ readers: config.readers }),
  })
}

/**
 * The databases are those of all servers. The data folder is this server's own: the journal of opens and clicks, the control socket, and
 * the lock that keeps a second server away from both.
 */
async function openShared(
  config: Config,
  clock: Clock,
  onError: ((error: unknown) => void) | undefined,
): Promise<Storage> {
  const { dataDir } = config
  makeFolder(dataDir)
  using opening = new DisposableStack()
  const lock = lockDataFolder(dataDir)
  opening.defer(() => lock.release())
  // Loaded only here: the clients of the databases take as long to load as everything else together.
  const { openClickhouseStorage } = await import('./storage/clickhouse/open-clickhouse-storage.ts')
  const storage = await openClickhouseStorage({
    ...databasesOf(config),
    clock,
    serviceMessageIdField: serviceMessageIdField(config),
    quarantineBytes: quarantineBytesOf(config),
    notices: listNotices(dataDir),
    onClosed: () => lock.release(),
    ...known({ onError }),
  })
  opening.move()
  return storage
}

function listNotices(dataDir: string): readonly string[] {
  if (!existsSync(join(dataDir, CONTROL_FILE))) return []
  return [
    `${dataDir} also contains the data of an installation with ENVELOG_STORAGE=sqlite, which is not used. Set ENVELOG_DATA_DIR to a folder of its own for this server.`,
  ]
}

/** Where the databases are. The configuration was checked when it was loaded: both addresses are there. */
export function databasesOf(config: Config) {
  const {
    clickhouseUrls = [],
    clickhouseUser,
    clickhouseDatabase,
    clickhouseCluster,
    postgresUrl,
    postgresUrlFile,
  } = config
  return {
    postgresUrl: postgresUrl ?? postgresUrlFile ?? '',
    clickhouse: {
      urls: clickhouseUrls,
      user: clickhouseUser,
      password: config.clickhousePassword ?? config.clickhousePasswordFile ?? '',
      database: clickhouseDatabase,
      ...known({ cluster: clickhouseCluster }),
    },
  }
}

function quarantineBytesOf({ quarantineMib }: Config): number {
  return quarantineMib * 1_048_576
}
