/** Opens the data secret and the access secret of an installation. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Config } from './config/options.ts'
import { AppError } from './lib/app-error.ts'
import type { Clock } from './lib/clock.ts'
import { type Access, AccessSecret } from './lib/sealing/access-secret.ts'
import { DataSecret } from './lib/sealing/data-secret.ts'
import { createSealer } from './lib/sealing/sealer.ts'
import type { DataSecretOptions } from './lib/sealing/secret-places.ts'
import { readSecrets } from './lib/sealing/secret-text.ts'
import { SharedAccessSecret } from './lib/sealing/shared-access-secret.ts'
import { addNextSecret, readStoredSecrets } from './lib/sealing/stored-secret.ts'
import type { SharedState } from './lib/shared-state.ts'
import type { ControlStore, Storage } from './storage/storage.ts'

export const DKIM_PURPOSE = 'dkim private key'
export const ACCESS_PURPOSE = 'access secret'

/** How long a server may use secrets that another one has replaced. */
export const SECRETS_AGE_MAX_MS = 2000

export interface Secrets {
  readonly accessSecret: Access
  readonly dataSecret: DataSecret
  /** Learns what another server has changed. Absent for an installation of one server. */
  readonly refreshSecrets?: () => Promise<void>
}

type Given = Pick<Config, 'dataDir' | 'secret' | 'secretFile'>
type Kept = Pick<ControlStore, 'secrets' | 'domains' | 'keys'>

/** Throws AppError `conflict` for a secret that does not belong to the data. */
export async function openSecrets(
  config: Given,
  { control, shared }: { readonly control: Kept } & Pick<Storage, 'shared'>,
  clock: Clock,
): Promise<Secrets> {
  const common = { store: control.secrets, clock, findData: () => findData(control) }
  if (shared) return openShared({ ...common, ...sharedPlace(config, control, shared) }, shared)
  const { dataDir } = config
  const dataSecret = await DataSecret.open({ ...common, dataDir, given: () => listGivenSecrets(config) })
  return { dataSecret, accessSecret: new AccessSecret(dataDir) }
}

/** The data secret of several servers. Throws AppError `conflict` if the operator gives another one than that of the data. */
export function openDataSecret(
  config: Given,
  { control, shared }: { readonly control: Kept; readonly shared: SharedState },
  clock: Clock,
): Promise<DataSecret> {
  const common = { store: control.secrets, clock, findData: () => findData(control) }
  return DataSecret.open({ ...common, ...sharedPlace(config, control, shared) })
}

async function openShared(options: DataSecretOptions, { settings }: SharedState): Promise<Secrets> {
  const dataSecret = await DataSecret.open(options)
  const accessSecret = await SharedAccessSecret.open(settings, dataSecret.keyring.sealerFor(ACCESS_PURPOSE))
  return {
    dataSecret,
    accessSecret,
    async refreshSecrets() {
      await dataSecret.refresh()
      await accessSecret.refresh()
    },
  }
}

/** The operator's if one is given, else that of the database. */
function sharedPlace(config: Given, { secrets }: Pick<Kept, 'secrets'>, { settings }: SharedState) {
  const waitForOthers = () => delay(2 * SECRETS_AGE_MAX_MS)
  if (listGivenSecrets(config).length > 0)
    return { dataDir: undefined, given: () => listGivenSecrets(config), waitForOthers }
  return {
    dataDir: undefined,
    given: () => readStoredSecrets(settings, secrets),
    givenBy: 'store',
    makeNext: () => addNextSecret(settings, secrets),
    waitForOthers,
  } as const
}

/** Newest first. Throws AppError `conflict` for a file that has none. */
export function listGivenSecrets({ secret, secretFile }: Pick<Config, 'secret' | 'secretFile'>): readonly Buffer[] {
  if (secretFile === undefined) return secret ?? []
  try {
    return readSecrets(secretFile)
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error)
    throw new AppError('conflict', `ENVELOG_SECRET_FILE: ${secretFile} cannot be used: ${problem}.`, { cause: error })
  }
}

/** Enough domains to find one with a key of ours. */
const DOMAINS_TRIED = 100

/** For data that was written before its secret was recorded. */
async function findData({ domains, keys }: Pick<ControlStore, 'domains' | 'keys'>) {
  const { domains: some } = await domains.list({
    skip: 0,
    take: DOMAINS_TRIED,
    orderBy: { field: 'updatedAt', direction: 'desc' },
  })
  const sealed = some.flatMap(({ dkimKeys }) => dkimKeys.map(({ sealedPrivateKey }) => sealedPrivateKey))
  return {
    exists: (await keys.listTenants()).length > 0 || (await keys.listKeys()).length > 0,
    opens: (secret: Buffer) => {
      const sealer = createSealer(secret, DKIM_PURPOSE)
      return sealed.length === 0 || sealed.some((bytes) => sealer.open(bytes) !== undefined)
    },
  }
}
