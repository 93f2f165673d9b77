/** The parts of package-lock.json that we read. */

export interface LockedPackage {
  version?: string
  integrity?: string
  optional?: boolean
  dev?: boolean
  cpu?: string[]
  os?: string[]
  hasInstallScript?: boolean
  resolved?: string
  optionalDependencies?: Record<string, string>
}

export interface Lockfile {
  packages: Record<string, LockedPackage>
}

export interface OptionalPackage {
  readonly name: string
  readonly version: string
  readonly isDev: boolean
}

/** Optional dependencies that are missing from the lockfile. */
export function listMissingOptionals(lockfile: Lockfile): readonly OptionalPackage[] {
  const missing = new Map<string, OptionalPackage>()
  for (const [path, locked] of Object.entries(lockfile.packages)) {
    for (const [name, version] of Object.entries(locked.optionalDependencies ?? {})) {
      if (!findLocked(lockfile, path, name)) missing.set(name, { name, version, isDev: locked.dev === true })
    }
  }
  return [...missing.values()]
}

/** Resolves `name` from the package at `path`: its own node_modules, then those above. */
export function findLocked(lockfile: Lockfile, path: string, name: string): LockedPackage | undefined {
  for (let at = path; ; ) {
    const found = lockfile.packages[`${at === '' ? '' : `${at}/`}node_modules/${name}`]
    if (found || at === '') return found
    at = at.slice(0, Math.max(0, at.lastIndexOf('node_modules/'))).replace(/\/$/, '')
  }
}
