/** What deleted rows leave in the gaps of pages goes, also from a control file with a large quarantine. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import { openControlDatabase } from '../control/control-database.ts'
import { CONTROL_FILE } from '../control/control-file.ts'
import { ControlScrub } from './scrub-control.ts'

const ADDRESS = 'anna.erased@example.org'

/** A control file with rows whose keys came in no order, so that pages were split again and again, and were then deleted. */
function openScene() {
  const folder = openTemporaryFolder()
  const control = openControlDatabase(folder.path)
  control.execute('CREATE TABLE row (key TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT, WITHOUT ROWID')
  let rows = 0
  const fill = () => {
    control.transaction(() => {
      for (let index = 0; index < 3000; index++) {
        const key = createHash('sha256').update(`${rows++}`).digest('hex')
        const text = index % 2 === 0 ? ADDRESS : 'somebody@example.org'
        control.run('INSERT INTO row VALUES (?, ?)', key, `${text} ${'x'.repeat(index % 300)}`)
      }
    })
    control.run('DELETE FROM row WHERE text LIKE ?', `${ADDRESS}%`)
    control.complete()
  }
  fill()
  const path = join(folder.path, CONTROL_FILE)
  const contains = () =>
    [path, `${path}-wal`].some((file) => existsSync(file) && readFileSync(file, 'latin1').includes(ADDRESS))
  return {
    control,
    fill,
    contains,
    [Symbol.dispose]() {
      control.close()
      folder[Symbol.dispose]()
    },
  }
}

test('a file above the small size is rewritten, once for all removals of an interval', () => {
  using scene = openScene()
  assert.ok(scene.contains(), 'there is something to overwrite')
  const scrub = new ControlScrub(scene.control, { smallBytes: 1, largeBytes: 2 ** 30, everyMs: 3_600_000 })
  assert.equal(scrub.run(), true)
  assert.equal(scene.contains(), false)
  // Another removal that had deleted its rows before has nothing to wait for.
  assert.equal(scrub.run(), true)
  scene.fill()
  scrub.noteDeletion()
  assert.equal(scrub.run(), false)
  assert.ok(scene.contains())
})

test('a small file is rewritten for every removal, a very large one for none', () => {
  using scene = openScene()
  const scrub = new ControlScrub(scene.control, { smallBytes: 2 ** 30, largeBytes: 2 ** 30, everyMs: 3_600_000 })
  for (let round = 0; round < 2; round++) {
    assert.equal(scrub.run(), true)
    assert.equal(scene.contains(), false)
    scene.fill()
    scrub.noteDeletion()
  }
  assert.equal(new ControlScrub(scene.control, { smallBytes: 1, largeBytes: 1, everyMs: 0 }).run(), true)
  assert.ok(scene.contains())
})
