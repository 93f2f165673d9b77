/** Opens the data secret and the access secret of an installation. */
import type { Config } from './config/options.ts'
import { AppError } from './lib/app-error.ts'
import type { Clock } from './lib/clock.ts'
import { AccessSecret } from './lib/sealing/access-secret.ts'
import { DataSecret } from './lib/sealing/data-secret.ts'
import { createSealer } from './lib/sealing/sealer.ts'
import { readSecrets } from './lib/sealing/secret-text.ts'
import type { ControlStore } from './storage/storage.ts'

export const DKIM_PURPOSE = 'dkim private key'

export interface Secrets {
  readonly accessSecret: AccessSecret
  readonly dataSecret: DataSecret
}

/** Throws AppError `conflict` for a secret that does not belong to the data. */
export async function openSecrets(
  config: Pick<Config, 'dataDir' | 'secret' | 'secretFile'>,
  control: Pick<ControlStore, 'secrets' | 'domains' | 'keys'>,
  clock: Clock,
): Promise<Secrets> {
  const { dataDir } = config
  const dataSecret = await DataSecret.open({
    store: control.secrets,
    dataDir,
    clock,
    given: () => listGiven(config),
    findData: () => findData(control),
  })
  return { dataSecret, accessSecret: new AccessSecret(dataDir) }
}

function listGiven({ secret, secretFile }: Pick<Config, 'secret' | 'secretFile'>): readonly Buffer[] {
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
