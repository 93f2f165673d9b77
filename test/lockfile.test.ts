import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import {
  findLocked,
  type LockedPackage,
  type Lockfile,
  listMissingOptionals,
  listUnverified,
} from '../scripts/lockfile.ts'

const lockfile = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8')) as Lockfile

test('npm ci finds every optional package in the lockfile (node scripts/complete-lockfile.ts adds what is missing)', () => {
  assert.deepEqual(listMissingOptionals(lockfile), [])
})

test('packages for Linux are locked with their checksums for both arm64 and x64', () => {
  const wanted = Object.entries(lockfile.packages).flatMap(([path, locked]) =>
    Object.keys(locked.optionalDependencies ?? {})
      .filter((name) => /linux/.test(name) && /(arm64|aarch64|x64|x86_64)/.test(name) && !/musl|android/.test(name))
      .map((name) => ({ path, name })),
  )
  assert.ok(wanted.length >= 8, 'the two Nodes, TypeScript, the linters')
  for (const { path, name } of wanted) assert.ok(findLocked(lockfile, path, name)?.integrity, name)
})

for (const processor of ['arm64', 'x64']) {
  test(`every package that is installed on Linux with ${processor} has a checksum in the lockfile`, () => {
    assert.deepEqual(listUnverified(lockfile, processor), [])
  })
}

test('the search for packages without a checksum follows the rules of npm for platforms', () => {
  const missing = (locked: LockedPackage) => listUnverified({ packages: { '': {}, x: locked } }, 'x64').length === 1
  for (const installed of [{}, { os: ['linux'] }, { os: ['!win32'], cpu: ['arm64', 'x64'] }, { libc: ['glibc'] }])
    assert.ok(missing(installed), JSON.stringify(installed))
  for (const skipped of [{ os: ['darwin'] }, { os: ['!linux'] }, { cpu: ['arm64'] }, { libc: ['musl'] }])
    assert.ok(!missing(skipped), JSON.stringify(skipped))
  assert.ok(!missing({ integrity: 'sha512-x' }))
})

test('no package needs an install script, and no entry names where it was downloaded from', () => {
  for (const [path, locked] of Object.entries(lockfile.packages)) {
    assert.ok(!locked.hasInstallScript || locked.optional, path)
    assert.equal(locked.resolved, undefined, path)
  }
})
