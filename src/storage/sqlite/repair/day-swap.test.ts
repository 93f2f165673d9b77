import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import { removeKept, swapIn, undoInterruptedSwaps } from './day-swap.ts'

function openScene() {
  const folder = openTemporaryFolder()
  const path = join(folder.path, '2026-03-01.db')
  const draft = `${path}.repair.draft`
  const write = (name: string, text: string) => writeFileSync(name, text)
  write(path, 'damaged')
  write(`${path}-wal`, 'its wal')
  write(`${path}-shm`, 'its shm')
  write(draft, 'repaired')
  const files = () =>
    Object.fromEntries(
      readdirSync(folder.path)
        .sort()
        .map((name) => [name.replace('2026-03-01.db', 'DB'), readFileSync(join(folder.path, name), 'utf8')]),
    )
  return { folder, path, draft, files, write }
}

test('a repaired file takes the place of the damaged one, which is kept with its WAL; a second one beside the first', () => {
  const { folder, path, draft, files, write } = openScene()
  using _folder = folder
  assert.equal(swapIn(path, draft), `${path}.damaged-1`)
  const once = { DB: 'repaired', 'DB.damaged-1': 'damaged', 'DB.damaged-1-wal': 'its wal' }
  assert.deepEqual(files(), once)
  undoInterruptedSwaps(folder.path)
  assert.deepEqual(files(), once, 'there is nothing to undo')
  write(draft, 'repaired again')
  swapIn(path, draft)
  assert.deepEqual(files(), { ...once, DB: 'repaired again', 'DB.damaged-2': 'repaired' })
  removeKept(path)
  assert.deepEqual(files(), { DB: 'repaired again' })
})

test('interrupted after any step, the next start has the damaged day with its WAL, or the repaired one', () => {
  const steps = [
    (path: string) => renameSync(path, `${path}.damaged-1`),
    (path: string) => renameSync(`${path}-wal`, `${path}.damaged-1-wal`),
    (path: string) => rmSync(`${path}-shm`),
  ]
  for (let done = 0; done <= steps.length; done++) {
    const { folder, path, draft } = openScene()
    using _folder = folder
    for (const step of steps.slice(0, done)) step(path)
    undoInterruptedSwaps(folder.path)
    assert.equal(readFileSync(path, 'utf8'), 'damaged')
    assert.equal(readFileSync(`${path}-wal`, 'utf8'), 'its wal')
    assert.equal(existsSync(`${path}.damaged-1`), false)
    // The repair can be repeated.
    swapIn(path, draft)
    assert.equal(readFileSync(path, 'utf8'), 'repaired')
    assert.equal(existsSync(`${path}-wal`), false)
  }
})
