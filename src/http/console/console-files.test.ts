import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { test } from 'node:test'
import { openTemporaryFolder } from '../../../test/harness/temporary-folder.ts'
import { readConsoleFiles } from './console-files.ts'

test('files are known by their paths in the folder, however it is named, with the encodings beside them', () => {
  using folder = openTemporaryFolder()
  mkdirSync(join(folder.path, 'guide/assets'), { recursive: true })
  const files = ['index.html', 'index.html.br', 'guide/assets/page-0123abcd.js', 'guide/notes.unknown']
  for (const path of files) writeFileSync(join(folder.path, path), `content of ${path}`)
  for (const name of [folder.path, `${folder.path}/`, relative('.', folder.path)]) {
    const found = readConsoleFiles(name)
    assert.deepEqual([...found.keys()].sort(), ['guide/assets/page-0123abcd.js', 'index.html'])
    const index = found.get('index.html')
    assert.equal(index?.identity.toString(), 'content of index.html')
    assert.deepEqual(
      [...(index?.encoded ?? [])].map(([coding, bytes]) => [coding, bytes.toString()]),
      [['br', 'content of index.html.br']],
    )
    assert.deepEqual(
      [...found].filter(([, { isImmutable }]) => isImmutable).map(([path]) => path),
      ['guide/assets/page-0123abcd.js'],
    )
  }
})
