/** A release has one version, wherever it is written, and leaves a data folder for later releases to upgrade. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Lockfile } from '../scripts/lockfile.ts'
import { VERSION } from '../src/lib/version.ts'
import { ROOT, readDocument } from './harness/documents.ts'

function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as T
}

/** Of CHANGELOG.md, the newest first. */
const sections = [...readDocument('CHANGELOG.md').prose.matchAll(/^## (.+)$/gm)].map(([, name = '']) => name)
const releases = sections.filter((name) => name !== 'Unreleased')

test('program, lockfile, client and plugin have the version of the newest release', () => {
  const { packages, version } = readJson<Lockfile & { version: string }>('package-lock.json')
  assert.deepEqual([version, packages['']?.version], [VERSION, VERSION])
  for (const folder of ['clients/typescript', 'integrations/haraka']) {
    assert.equal(readJson<{ version: string }>(`${folder}/package.json`).version, VERSION, folder)
  }
  assert.equal(releases[0], VERSION)
})

test('the documents name the files of this version', () => {
  const named = [...readDocument('docs/install.md').text.matchAll(/envelog[-_](\d+\.\d+\.\d+)[._]/g)]
  assert.ok(named.length >= 3)
  for (const [file, version] of named) assert.equal(version, VERSION, file)
})

test('CHANGELOG.md has releases in order, each section once, and first what an upgrade requires', () => {
  assert.ok(!sections.slice(1).includes('Unreleased'))
  assert.deepEqual(releases, releases.toSorted(compareVersions).reverse())
  const [, ...texts] = readDocument('CHANGELOG.md').text.split(/^## /m)
  for (const text of texts) {
    const headings = [...text.matchAll(/^### (.+)$/gm)].map(([, heading = '']) => heading)
    assert.deepEqual(headings, [...new Set(headings)])
    assert.ok(headings.length === 0 || headings[0] === 'To do when you upgrade', headings[0])
    assert.doesNotMatch(text, /^####/m, 'sections are not nested')
  }
})

test('every release has a data folder that is upgraded in the tests', () => {
  assert.ok(releases.length > 1)
  for (const release of releases) {
    const file = `test/upgrades/${release}/control.db.gz`
    assert.ok(existsSync(join(ROOT, file)), `${file} is missing: npx node test/upgrades/make-fixture.ts . ${release}`)
  }
})

function compareVersions(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true })
}
