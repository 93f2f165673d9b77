/** Moves an installation from its data folder into the databases of the configuration, for the command line. */
import { join } from 'node:path'
import type { Logger } from 'pino'
import pino from 'pino'
import { serviceMessageIdField } from '../config/load-config.ts'
import type { Config } from '../config/options.ts'
import { isFolderLocked, requireOwnFolder } from '../data-folder.ts'
import { createMetrics } from '../http/observation/metrics.ts'
import { AppError } from '../lib/app-error.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import { ACCESS_KEY_FILE } from '../lib/sealing/access-secret.ts'
import { secretId } from '../lib/sealing/keyring.ts'
import { readSecretFile } from '../lib/sealing/secret-file.ts'
import { MASTER_KEY_FILE } from '../lib/sealing/secret-places.ts'
import { storeAccessSecret } from '../lib/sealing/shared-access-secret.ts'
import { storeSecret } from '../lib/sealing/stored-secret.ts'
import { openHitRecorder } from '../open-hit-recorder.ts'
import { ACCESS_PURPOSE, listGivenSecrets, openDataSecret } from '../open-secrets.ts'
import { openService } from '../open-service.ts'
import { databasesOf } from '../open-storage.ts'
import { openClickHouseLog } from '../storage/clickhouse/clickhouse-event-log.ts'
import { requireClickHouseSchema, SCHEMA_VERSION } from '../storage/clickhouse/schema/schema-state.ts'
import { connectClickHouse } from '../storage/clickhouse/server/connect-clickhouse.ts'
import { keepChanges, keepErased } from '../storage/moving/clickhouse-target.ts'
import { lockMove } from '../storage/moving/move-lock.ts'
import * as moving from '../storage/moving/move-storage.ts'
import { openControl, type PostgresControl } from '../storage/postgres/control/open-control.ts'
import { isMarkedAsMoved } from '../storage/sqlite/manifest/moved-marker.ts'
import { openSqliteStorage } from '../storage/sqlite/open-sqlite-storage.ts'
import type { Storage } from '../storage/storage.ts'

export type MoveReport = moving.MoveReport
export type MoveRequest = Pick<
  moving.MoveOptions,
  'waits' | 'pages' | 'seed' | 'chunkEvents' | 'onProgress' | 'onCaughtUp' | 'onPage'
> & {
  /** The data folder. */
  readonly folder: string
}

/** Everything that the move writes counts as changed before anything that the old storage has seen. */
const EARLIEST: Clock = () => 1

/** Throws AppError `conflict` for databases that are not empty, a folder that cannot be moved, or a configuration for another engine. */
export async function moveStorage(config: Config, { folder, ...request }: MoveRequest): Promise<MoveReport> {
  if (config.storage !== 'clickhouse') {
    throw new AppError(
      'conflict',
      'This command writes to the databases of the new servers: run it with ENVELOG_STORAGE=clickhouse and their addresses.',
    )
  }
  const old: Config = { ...config, storage: 'sqlite', dataDir: folder }
  requireOwnFolder(old)
  process.umask(0o077)
  const { postgresUrl: url, clickhouse } = databasesOf(config)
  await using resources = new AsyncDisposableStack()
  const control = resources.adopt(
    await openControl({ url, isMoving: true, eventSchema: SCHEMA_VERSION }),
    ({ close }) => close(),
  )
  const { db } = control
  resources.use(await lockMove(db))
  const clickHouse = resources.adopt(await connectClickHouse(clickhouse), (open) => open.close())
  await requireClickHouseSchema(clickHouse)
  const log = resources.adopt(
    await openClickHouseLog({ clickHouse, db, clock: EARLIEST, serviceMessageIdField: serviceMessageIdField(config) }),
    (open) => open.close(),
  )
  return await moving.moveStorage({
    ...request,
    dataDir: folder,
    clock: systemClock,
    takeOver: () => takeOver(old),
    target: {
      log,
      db,
      keepChanges: (changes) => keepChanges(clickHouse, changes),
      keepErased: (counted) => keepErased(clickHouse, db, counted),
      requireSecret: (id) => requireSecret(config, folder, id),
      keepSecrets: () => keepSecrets(config, folder, control),
    },
  })
}

/** Undefined while a server uses the folder. Opens and clicks that a server has left behind are in the log afterwards. */
async function takeOver(old: Config): Promise<Pick<Storage, 'log' | 'close'> | undefined> {
  try {
    if (isMarkedAsMoved(old.dataDir)) return await openMarked(old)
    // The secret of the folder, if there is one, and not that of the new servers.
    const own = hasOwnSecret(old.dataDir) ? { ...old, secret: undefined, secretFile: undefined } : old
    const service = await openService(own)
    await drainHits(service, pino({ level: 'silent' }))
    return { log: service.storage.log, close: () => service.close() }
  } catch (error) {
    if (isFolderLocked(error)) return undefined
    throw error
  }
}

/** A move that was interrupted after its last check: nobody else opens the folder any more. */
function openMarked(old: Config): Promise<Storage> {
  return openSqliteStorage({
    dataDir: old.dataDir,
    clock: systemClock,
    serviceMessageIdField: serviceMessageIdField(old),
  })
}

async function drainHits(service: Awaited<ReturnType<typeof openService>>, logger: Logger): Promise<void> {
  const hits = await openHitRecorder(service, createMetrics(service.storage, service.clock), logger)
  await hits.close()
  if (hits.waitingBytes === 0) return
  await service.close()
  throw new AppError(
    'storage_unavailable',
    'Opens and clicks in the journal of the data folder could not be stored. Start the old server, check its log, then run this command again.',
  )
}

function hasOwnSecret(dataDir: string): boolean {
  return readSecretFile(join(dataDir, MASTER_KEY_FILE)) !== undefined
}

/** Throws AppError `conflict` unless the secret with this id, of the data, is given or in the folder. */
function requireSecret(config: Config, folder: string, id: string): void {
  const path = join(folder, MASTER_KEY_FILE)
  const given = listGivenSecrets(config)
  const own = readSecretFile(path)
  const known = given.length > 0 ? given : own ? [own] : []
  if (known.some((secret) => secretId(secret) === id)) return
  if (given.length === 0) {
    throw new AppError(
      'conflict',
      `The data needs the secret with the id ${id}, which is not in ${path}. Set ENVELOG_SECRET_FILE or ENVELOG_SECRET as for the old server.`,
    )
  }
  const advice =
    own && secretId(own) === id
      ? `Unset both to keep the secret of the folder in PostgreSQL, or write it to a file for ENVELOG_SECRET_FILE: umask 077; od -An -v -tx1 ${path} | tr -d ' \\n' > FILE`
      : 'Set it as for the old server.'
  throw new AppError(
    'conflict',
    `The secret in ENVELOG_SECRET_FILE or ENVELOG_SECRET does not match the data, which needs the one with the id ${id}. ${advice}`,
  )
}

/** The secret of the folder moves to PostgreSQL, unless the operator gives one. Throws AppError `conflict` for one of another installation. */
async function keepSecrets(config: Config, folder: string, { stores, shared }: PostgresControl): Promise<void> {
  const own = readSecretFile(join(folder, MASTER_KEY_FILE))
  const isGiven = config.secret !== undefined || config.secretFile !== undefined
  if (own && !isGiven) await storeSecret(shared.settings, own)
  const { keyring } = await openDataSecret(config, { control: stores, shared }, systemClock)
  const access = readSecretFile(join(folder, ACCESS_KEY_FILE))
  if (access) await storeAccessSecret(shared.settings, keyring.sealerFor(ACCESS_PURPOSE), access)
}
