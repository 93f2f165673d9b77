import assert from 'node:assert/strict'
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { openTemporaryFolder } from '../../../test/harness/temporary-folder.ts'
import { currentBuildFolder, findNewestBuild } from './console-build.ts'

function write(root: string, path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

test('the folder of a build changes with the names and the content of its sources, and with nothing else', () => {
  using folder = openTemporaryFolder()
  const { path: root } = folder
  const name = (path: string, text: string) => {
    write(root, path, text)
    return currentBuildFolder(root)
  }
  const names = [
    name('console/src/pages/log.tsx', 'a'),
    name('console/src/pages/log.tsx', 'b'),
    name('console/public/icon.svg', 'b'),
    name('src/events/search/operators.ts', 'b'),
    name('docs/api.md', 'b'),
  ]
  assert.equal(new Set(names).size, names.length)
  assert.match(names[0] ?? '', /console\/dist\/[0-9a-f]{16}$/)
  assert.equal(name('src/other.ts', 'b'), names.at(-1))
  assert.equal(name('docs/api.md', 'b'), names.at(-1))
})

test('the newest complete build is found', () => {
  using folder = openTemporaryFolder()
  const { path: dist } = folder
  assert.equal(findNewestBuild(dist), undefined)
  for (const [name, seconds] of [
    ['aaaa', 100],
    ['bbbb', 300],
    ['cccc', 200],
  ] as const) {
    write(dist, `${name}/index.html`, name)
    utimesSync(join(dist, name), seconds, seconds)
  }
  write(dist, 'dddd/half', '')
  write(dist, 'not-a-build/index.html', '')
  assert.equal(findNewestBuild(dist), join(dist, 'bbbb'))
})
