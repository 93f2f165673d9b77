/**
 * The data secret of several servers in their database, for operators who give none: the newest, and during a rotation the one
 * before it. A copy of the database then has everything that decrypts the private keys in it.
 */
import { randomBytes } from 'node:crypto'
import { AppError } from '../app-error.ts'
import type { SettingStore } from '../shared-state.ts'
import { secretId } from './keyring.ts'
import { SECRET_BYTES } from './secret-file.ts'
import type { SecretStore } from './secret-store.ts'

const NAME = 'data secret'

type Generations = Pick<SecretStore, 'listGenerations'>

/** Newest first. Creates one unless the data has a secret already: then the operator keeps it, and this server was not given it. */
export async function readStoredSecrets(settings: SettingStore, generations: Generations): Promise<readonly Buffer[]> {
  const stored = await settings.find(NAME)
  if (stored) return split(stored)
  if ((await generations.listGenerations()).length > 0) return []
  return split(await settings.findOrCreate(NAME, randomBytes(SECRET_BYTES)))
}

/** Keeps a secret that is in use elsewhere, such as that of an installation that moves here. */
export async function storeSecret(settings: SettingStore, secret: Uint8Array): Promise<void> {
  const stored = await settings.findOrCreate(NAME, secret)
  if (!stored.equals(secret)) throw new AppError('conflict', 'The database has a secret of its own already.')
}

/** Adds the next secret before the present one. One that an interrupted rotation has left is used. */
export async function addNextSecret(settings: SettingStore, generations: Generations): Promise<Buffer> {
  const stored = await settings.findOrCreate(NAME, randomBytes(SECRET_BYTES))
  const [newest] = await generations.listGenerations()
  const [first, second] = split(stored)
  if (first && second && newest?.id === secretId(second)) return first
  const next = randomBytes(SECRET_BYTES)
  const present = first ?? Buffer.alloc(0)
  if (await settings.replace(NAME, Buffer.concat([next, present]), stored)) return next
  throw new AppError('conflict', 'The secret was changed at the same time. Retry.')
}

function split(stored: Buffer): readonly Buffer[] {
  if (stored.length === 0 || stored.length % SECRET_BYTES !== 0) {
    throw new AppError('conflict', `The data secret in the database is damaged: it has ${stored.length} bytes.`)
  }
  return Array.from({ length: stored.length / SECRET_BYTES }, (_, index) =>
    stored.subarray(index * SECRET_BYTES, (index + 1) * SECRET_BYTES),
  )
}
