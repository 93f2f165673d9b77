/**
 * Completes package-lock.json. Run it after every `npm install`; test/lockfile.test.ts fails if it was forgotten.
 *
 * It adds missing optional packages of other platforms: npm omits those that the configured package source does not have, but
 * `npm ci` refuses a lockfile without them, on every platform. Added packages have no checksum unless the source has them, so it
 * also adds checksums that are missing, and marks packages for musl, which npm would otherwise install with glibc too.
 */
import { execFileSync, type StdioOptions } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { type Lockfile, listMissingOptionals } from './lockfile.ts'

const OPERATING_SYSTEMS = 'android darwin win32 freebsd openbsd netbsd sunos aix openharmony linux'.split(' ')
const PROCESSORS: readonly [RegExp, string][] = [
  [/arm64|aarch64/, 'arm64'],
  [/x64|x86_64/, 'x64'],
  [/ia32|x86/, 'ia32'],
  [/riscv64/, 'riscv64'],
  [/ppc64/, 'ppc64'],
  [/s390x/, 's390x'],
  [/loong64/, 'loong64'],
  [/mips64el/, 'mips64el'],
  [/wasm32/, 'wasm32'],
  [/arm/, 'arm'],
]

const file = new URL('../package-lock.json', import.meta.url)
const lockfile = JSON.parse(readFileSync(file, 'utf8')) as Lockfile
let added = 0
for (const { name, version, isDev } of listMissingOptionals(lockfile)) {
  const system =
    name === 'fsevents'
      ? 'darwin'
      : OPERATING_SYSTEMS.find((candidate) => name.replace('windows', 'win32').includes(candidate))
  const processor = PROCESSORS.find(([pattern]) => pattern.test(name))?.[1]
  if (!system && processor !== 'wasm32')
    throw new Error(`${name} is missing from the lockfile, and its name does not contain a platform`)
  lockfile.packages[`node_modules/${name}`] = {
    version: version.replace(/^[~^]/, ''),
    optional: true,
    ...(isDev && { dev: true }),
    ...(processor && { cpu: [processor] }),
    os: [system ?? 'none'],
  }
  added++
}
let verified = 0
for (const [path, locked] of Object.entries(lockfile.packages)) {
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
  if (/-musl/.test(name)) locked.libc ??= ['musl']
  if (path === '' || locked.integrity || !locked.os?.includes('linux')) continue
  const integrity = findIntegrity(`${name}@${locked.version}`)
  if (integrity === undefined) continue
  locked.integrity = integrity
  verified++
}

lockfile.packages = Object.fromEntries(Object.entries(lockfile.packages).sort(([a], [b]) => (a < b ? -1 : 1)))
writeFileSync(file, `${JSON.stringify(lockfile, null, 2)}\n`)
process.stdout.write(`${added} entries and ${verified} checksums added\n`)

/** The checksum in the package source, or undefined if it does not have this package. */
function findIntegrity(specifier: string): string | undefined {
  try {
    const stdio: StdioOptions = ['ignore', 'pipe', 'ignore']
    return execFileSync('npm', ['view', specifier, 'dist.integrity'], { encoding: 'utf8', stdio }).trim() || undefined
  } catch {
    return undefined
  }
}
