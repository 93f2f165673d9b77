/** What opening a data folder with this version would migrate. Nothing is changed or locked: a server may be running on the folder. */
import { closeSync, existsSync, openSync, readdirSync, readSync, statSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../../lib/app-error.ts'
import type { Migration } from '../../read-migrations.ts'
import { CONTROL_MIGRATIONS } from '../control/control-database.ts'
import { CONTROL_FILE } from '../control/control-file.ts'
import { Database } from '../database/database.ts'
import { hasWal } from '../database/has-wal.ts'
import { isDay } from '../days/day.ts'
import { DAY_MIGRATIONS } from '../days/day-files.ts'

/** A file that is not of this version. */
interface OutdatedFile {
  /** Below the data folder. */
  readonly file: string
  readonly bytes: number
  /** The number of its last migration. */
  readonly schema: number
  /** Those that will be applied; none if the file is of a newer version. */
  readonly migrations: readonly string[]
  readonly isNewer: boolean
}

export interface UpgradePlan {
  readonly files: number
  readonly bytes: number
  readonly outdated: readonly OutdatedFile[]
  /** Estimated for a slow disk. */
  readonly seconds: number
  readonly bytesNeeded: number
  readonly bytesFree: number
}

/** A statement that goes through rows that are there. Others change the schema only, however large the file is. */
const ROW_BY_ROW = /^\s*(?:UPDATE|INSERT|DELETE|REPLACE|CREATE\s+(?:UNIQUE\s+)?INDEX|VACUUM|REINDEX)\b/im

/** Of a disk that is slow to flush, as are those of many rented machines. */
const SECONDS_PER_MIGRATION = 0.05
const BYTES_PER_SECOND = 10 * 2 ** 20
/** New tables and the WAL of a change of the schema. */
const BYTES_PER_MIGRATION = 128 * 2 ** 10

/** Throws AppError `not_found` if there is no data folder. */
export async function planUpgrade(dataDir: string): Promise<UpgradePlan> {
  if (!existsSync(join(dataDir, CONTROL_FILE))) {
    throw new AppError('not_found', `There is nothing to upgrade: ${dataDir} is not a data folder of Envelog.`)
  }
  const days = existsSync(join(dataDir, 'events')) ? readdirSync(join(dataDir, 'events')) : []
  const files = [
    { file: CONTROL_FILE, migrations: CONTROL_MIGRATIONS },
    ...days
      .filter((name) => name.endsWith('.db') && isDay(name.slice(0, -3)))
      .sort()
      .map((name) => ({ file: `events/${name}`, migrations: DAY_MIGRATIONS })),
  ]
  const outdated: OutdatedFile[] = []
  let bytes = 0
  let seconds = 0
  let bytesNeeded = 0
  let largest = 0
  for (const { file, migrations } of files) {
    const size = statSync(join(dataDir, file)).size
    bytes += size
    const schema = readSchema(join(dataDir, file))
    if (schema === migrations.length) continue
    const pending = migrations.slice(schema)
    outdated.push({ file, bytes: size, schema, migrations: pending.map(nameOf), isNewer: schema > migrations.length })
    // The rows are written once more, to the WAL and then to the file.
    const rewritten = size * pending.filter(({ sql }) => ROW_BY_ROW.test(sql)).length
    largest = Math.max(largest, rewritten)
    seconds += pending.length * SECONDS_PER_MIGRATION + rewritten / BYTES_PER_SECOND
    bytesNeeded += pending.length * BYTES_PER_MIGRATION + rewritten
  }
  const { bavail, bsize } = await statfs(dataDir)
  return {
    files: files.length,
    bytes,
    outdated,
    seconds,
    bytesNeeded: bytesNeeded + largest,
    bytesFree: bavail * bsize,
  }
}

function nameOf({ name }: Migration): string {
  return name.replace(/\.sql$/, '')
}

/** In the header of the file, unless its last commits are still in its WAL. */
function readSchema(path: string): number {
  if (hasWal(path)) {
    using db = new Database(path, { readOnly: true })
    return db.number('PRAGMA user_version')
  }
  const header = Buffer.alloc(100)
  const file = openSync(path, 'r')
  try {
    readSync(file, header, 0, header.length, 0)
  } finally {
    closeSync(file)
  }
  return header.readUInt32BE(60)
}
