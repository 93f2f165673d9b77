/** A migration that was committed does not change any more: data folders have been written with it. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const ROOT = join(import.meta.dirname, '../..')
const FOLDERS = ['control', 'days'].map((name) => `src/storage/sqlite/${name}/migrations`)

/** In the format of sha256sum, which checks them as well: sha256sum -c test/upgrades/migrations.sha256 */
const recorded = readFileSync(join(import.meta.dirname, 'migrations.sha256'), 'utf8')
  .trimEnd()
  .split('\n')

test('every migration is recorded with its hash, and none was changed or removed', () => {
  const found = FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder)).map((name) => {
      const hash = createHash('sha256').update(readFileSync(join(ROOT, folder, name)))
      return `${hash.digest('hex')}  ${folder}/${name}`
    }),
  )
  assert.deepEqual(
    found.sort(byPath),
    [...recorded].sort(byPath),
    'never change a committed migration: add another one, and a line for it to test/upgrades/migrations.sha256',
  )
})

function byPath(a: string, b: string): number {
  return a.slice(66) < b.slice(66) ? -1 : 1
}
