/** Warnings about the machine when the server starts: who runs the server, who can reach it, who can read its files. */
import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Config } from './config/options.ts'
import { Networks } from './lib/net/networks.ts'
import { ACCESS_KEY_FILE } from './lib/sealing/access-secret.ts'
import { MASTER_KEY_FILE } from './lib/sealing/secret-places.ts'

const LOOPBACK = new Networks(['127.0.0.0/8', '::1', '::ffff:127.0.0.0/104'])

const STICKY = 0o1000
const GROUP_OR_OTHERS = 0o077
const OTHERS_WRITE = 0o002
/** Files that the server shares with root or a group are common; files that everybody can read or others can write are not. */
const OTHERS_OR_GROUP_WRITE = 0o027

export interface StartupFacts {
  /** The effective user. Undefined on systems without users. */
  readonly uid: number | undefined
  /** The IP address that the server listens on; 0.0.0.0 and :: are all. */
  readonly boundTo: string
}

/** One sentence or two each. */
export function listStartupWarnings(
  { dataDir, secretFile, trustedProxies }: Pick<Config, 'dataDir' | 'secretFile' | 'trustedProxies'>,
  { uid, boundTo }: StartupFacts,
): readonly string[] {
  return [
    ...(uid === 0 ? ['The server runs as root. Run it as a user of its own that owns only the data folder.'] : []),
    ...(trustedProxies === undefined && !LOOPBACK.has(boundTo)
      ? [
          `The server listens on ${boundTo} without TLS, and ENVELOG_TRUSTED_PROXIES is not set: keys and cookies cross the network in clear text. Put a proxy with TLS in front of it, and set ENVELOG_TRUSTED_PROXIES to its address.`,
        ]
      : []),
    ...listFolderWarnings(dataDir, uid),
    ...[ACCESS_KEY_FILE, MASTER_KEY_FILE].flatMap((file) => warnOfMode(join(dataDir, file), GROUP_OR_OTHERS, '600')),
    ...(secretFile === undefined ? [] : warnOfMode(secretFile, OTHERS_OR_GROUP_WRITE, '600')),
    ...(secretFile !== undefined && listParents(secretFile).includes(dataDir)
      ? [
          `${secretFile} is in the data folder: anyone who gets a copy of the folder gets the secret. Move it elsewhere.`,
        ]
      : []),
  ]
}

function listFolderWarnings(dataDir: string, uid: number | undefined): readonly string[] {
  const owner = statSync(dataDir, { throwIfNoEntry: false })?.uid
  const isForeign = owner !== undefined && uid !== undefined && owner !== uid && owner !== 0
  return [
    ...warnOfMode(dataDir, GROUP_OR_OTHERS, '700'),
    ...(isForeign
      ? [`${dataDir} belongs to another user (uid ${owner}), who can read and change everything in it.`]
      : []),
    ...listParents(dataDir).flatMap((parent) => {
      const mode = modeOf(parent)
      // In a folder with the sticky bit, such as /tmp, only the owner can move a file away.
      if (mode === undefined || (mode & OTHERS_WRITE) === 0 || (mode & STICKY) !== 0) return []
      return [`Other users can replace ${dataDir}: ${parent} is writable for them. Run chmod o-w ${parent}`]
    }),
  ]
}

function warnOfMode(path: string, forbidden: number, wanted: string): readonly string[] {
  const mode = modeOf(path)
  if (mode === undefined || (mode & forbidden) === 0) return []
  const verb = (mode & forbidden & 0o022) === 0 ? 'read' : 'change'
  return [`Other users can ${verb} ${path} (mode ${(mode & 0o777).toString(8)}). Run chmod ${wanted} ${path}`]
}

/** Undefined if it does not exist or cannot be examined. */
function modeOf(path: string): number | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })?.mode
  } catch {
    return undefined
  }
}

function listParents(path: string): readonly string[] {
  const parent = dirname(path)
  return parent === path ? [] : [parent, ...listParents(parent)]
}
