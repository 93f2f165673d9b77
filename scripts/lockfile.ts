/** The parts of package-lock.json that we read. */

export interface LockedPackage {
  version?: string
  integrity?: string
  optional?: boolean
  dev?: boolean
  cpu?: string | string[]
  os?: string | string[]
  /** `glibc` or `musl`. Absent: installed with either. */
  libc?: string | string[]
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

/** Packages without a SHA-512 checksum that npm would install on Linux with the processor and with glibc, which our Node needs. */
export function listUnverified({ packages }: Lockfile, processor: string): readonly string[] {
  return Object.entries(packages)
    .filter(([path, { os, cpu, libc }]) => {
      return path !== '' && isFor(os, 'linux') && isFor(cpu, processor) && isFor(libc, 'glibc')
    })
    .filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))
    .map(([path]) => path)
}

/** As npm reads such lists: `!win32` excludes, and a list of exclusions admits everything else. */
function isFor(declared: string | readonly string[] = [], value: string): boolean {
  const list = [declared].flat()
  if (list.length === 0) return true
  if (list.includes(`!${value}`)) return false
  return list.includes(value) || list.every((item) => item.startsWith('!'))
}
