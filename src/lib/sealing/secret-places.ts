/** Finds the data secret and the generations that the store knows: at the first start, later starts, and after an interrupted rotation. */
import { existsSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../app-error.ts'
import type { Clock } from '../clock.ts'
import { PROGRAM } from '../program-name.ts'
import { type Generation, secretId } from './keyring.ts'
import { createSealer } from './sealer.ts'
import { createSecretFile, readSecretFile, renameSecretFile, SECRET_BYTES } from './secret-file.ts'
import type { SecretStore, StoredGeneration } from './secret-store.ts'

export const MASTER_KEY_FILE = 'master.key'
export const PENDING_FILE = 'master.key.next'
const WRAPPING = 'earlier secret'

export type Generations = readonly [Generation, ...Generation[]]

/** Where the newest secret is kept: in the data folder, by the operator, or in the database that the servers share. */
export type SecretPlace = 'folder' | 'operator' | 'store'

export interface DataSecretOptions {
  readonly store: SecretStore
  /** Undefined if several servers share the secret: no file of one of them is used. */
  readonly dataDir: string | undefined
  /** Secrets from elsewhere, newest first, read again for each rotation. Empty: the data folder keeps the secret. */
  readonly given: () => readonly Buffer[] | Promise<readonly Buffer[]>
  /** Where they are from. Default: the operator. */
  readonly givenBy?: Exclude<SecretPlace, 'folder'>
  /** The next secret for a rotation, already kept with the given ones. Absent: the first of them, or a new file. */
  readonly makeNext?: () => Promise<Buffer>
  /** Resolves when the other servers know a new generation, which is not used before. */
  readonly waitForOthers?: () => Promise<void>
  readonly clock: Clock
  /** For data without a record of its secret: whether there is any, and whether this secret opens it. */
  readonly findData: () => Promise<{ readonly exists: boolean; opens(secret: Buffer): boolean }>
}

export interface Held {
  readonly secret: Buffer
  readonly place: 'folder' | 'given' | 'pending'
  /** Whether there are secrets from elsewhere. */
  readonly areGiven: boolean
}

export async function loadGenerations(options: DataSecretOptions) {
  const given = await options.given()
  const stored = await options.store.listGenerations()
  const [newest, ...older] = stored.length > 0 ? stored : await adopt(options, given)
  if (!newest) throw new Error('no generation of the secret was adopted')
  const held = findHeld(options.dataDir, given, newest.id)
  const sealer = createSealer(held.secret, WRAPPING)
  const opened = older.map(({ sealedSecret, ...rest }) => {
    return { ...rest, secret: sealedSecret && sealer.open(sealedSecret) }
  })
  const isOpened = (generation: (typeof opened)[number]): generation is Generation => generation.secret !== undefined
  const { sealedSecret: _, ...rest } = newest
  const generations: Generations = [{ ...rest, secret: held.secret }, ...opened.filter(isOpened)]
  const warnings = opened
    .filter((generation) => !isOpened(generation))
    .map(({ id }) => `The earlier secret ${id} cannot be decrypted: what it signed is no longer accepted.`)
  return { generations, held, warnings }
}

/** The first start, or the first of a version that keeps this record. */
async function adopt(
  { dataDir, clock, store, findData }: DataSecretOptions,
  [first]: readonly Buffer[],
): Promise<readonly StoredGeneration[]> {
  const path = pathOf(dataDir)
  const data = await findData()
  let secret = readFolder(dataDir)
  if (!secret) {
    if (!first && data.exists) {
      throw new AppError(
        'conflict',
        `${path} is missing, and the private keys in this folder cannot be read without it. Restore it from a backup, or set ENVELOG_SECRET_FILE.`,
      )
    }
    if (first && data.exists && !data.opens(first)) {
      throw new AppError('conflict', `${WRONG} This data was written with another one, which was in ${path}.`)
    }
    if (!first) createSecretFile(path)
    secret = first ?? readFolder(dataDir)
    if (!secret) throw new Error(`could not create ${path}`)
  }
  const nowMs = clock()
  const generation = { id: secretId(secret), createdAtMs: nowMs, resealedAtMs: nowMs }
  try {
    await store.replaceGenerations([generation], undefined)
    return [generation]
  } catch (error) {
    // Another server was faster, perhaps with another secret.
    const others = error instanceof AppError && error.code === 'conflict' ? await store.listGenerations() : []
    if (others.length === 0) throw error
    return others
  }
}

const WRONG = 'The secret in ENVELOG_SECRET_FILE or ENVELOG_SECRET does not belong to the data.'

/** The secret with this id. The given ones come first: then a damaged file that is no longer needed does no harm. */
function findHeld(dataDir: string | undefined, given: readonly Buffer[], id: string): Held {
  const areGiven = given.length > 0
  for (const secret of given) if (secretId(secret) === id) return { secret, place: 'given', areGiven }
  const path = pathOf(dataDir)
  const inFolder = readFolder(dataDir)
  if (inFolder && secretId(inFolder) === id) return { secret: inFolder, place: 'folder', areGiven }
  const pending = readPending(dataDir)
  if (pending && secretId(pending) === id) return { secret: pending, place: 'pending', areGiven }
  if (areGiven) {
    const ids = given.map(secretId).join(', ')
    throw new AppError(
      'conflict',
      `${WRONG} The data needs the secret with the id ${id}; given: ${ids}. Give the one that was in use when the data was written.`,
    )
  }
  if (dataDir === undefined) {
    throw new AppError(
      'conflict',
      `The data needs the secret with the id ${id}, which the database does not contain. Set ENVELOG_SECRET_FILE or ENVELOG_SECRET as on the other servers.`,
    )
  }
  throw new AppError(
    'conflict',
    inFolder
      ? `${path} does not belong to the data: the data needs the secret with the id ${id}, the file has ${secretId(inFolder)}. Restore the file that belongs to this data, or set ENVELOG_SECRET_FILE.`
      : `${path} is missing: the data needs the secret with the id ${id}. Restore the file, or set ENVELOG_SECRET_FILE.`,
  )
}

function pathOf(dataDir: string | undefined): string {
  return dataDir === undefined ? `${MASTER_KEY_FILE} of a data folder` : join(dataDir, MASTER_KEY_FILE)
}

function readFolder(dataDir: string | undefined): Buffer | undefined {
  return dataDir === undefined ? undefined : readSecretFile(join(dataDir, MASTER_KEY_FILE))
}

/** Undefined unless it is complete: a partial one was never relied on. */
function readPending(dataDir: string | undefined): Buffer | undefined {
  if (dataDir === undefined) return undefined
  const path = join(dataDir, PENDING_FILE)
  return statSync(path, { throwIfNoEntry: false })?.size === SECRET_BYTES ? readSecretFile(path) : undefined
}

/** Brings the files in line with the store. Returns warnings. */
export function settleFiles(
  dataDir: string | undefined,
  { place, areGiven }: Held,
  [newest, ...older]: Generations,
): readonly string[] {
  if (dataDir === undefined) return []
  const path = join(dataDir, MASTER_KEY_FILE)
  const pending = join(dataDir, PENDING_FILE)
  if (place === 'pending') renameSecretFile(pending, path)
  else rmSync(pending, { force: true })
  if (place !== 'given' && areGiven) {
    return [
      `The data is still encrypted with ${path}, not with the secret that is given. Change to it with: ${PROGRAM} secret rotate`,
    ]
  }
  if (place !== 'given' || !existsSync(path)) return []
  const id = statSync(path).size === SECRET_BYTES ? secretId(readSecretFile(path) ?? Buffer.alloc(0)) : undefined
  // Sealed with the operator's secret, an earlier generation needs no file.
  if (older.some((generation) => generation.id === id)) rmSync(path)
  return id === newest.id
    ? [`${path} holds the secret that ENVELOG_SECRET_FILE or ENVELOG_SECRET gives. Delete the file: it is not needed.`]
    : []
}

export function toStored([newest, ...older]: Generations): readonly StoredGeneration[] {
  const sealer = createSealer(newest.secret, WRAPPING)
  const { secret: _, ...rest } = newest
  return [rest, ...older.map(({ secret, ...generation }) => ({ ...generation, sealedSecret: sealer.seal(secret) }))]
}
