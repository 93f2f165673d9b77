import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { openControlDatabase } from './control-database.ts'
import { CONTROL_FILE } from './control-file.ts'

describe('control database', () => {
  test('creates its folder for the owner only, and can be reopened with its data', () => {
    const parent = mkdtempSync(join(tmpdir(), 'envelog-control-'))
    const folder = join(parent, 'deep', 'data')
    const first = openControlDatabase(folder)
    first.run("INSERT INTO folded_day (day) VALUES ('2026-01-01')")
    first.close()
    assert.equal(statSync(folder).mode & 0o077, 0)
    const second = openControlDatabase(folder)
    assert.equal(second.path, join(folder, CONTROL_FILE))
    assert.deepEqual(
      second.all('SELECT day FROM folded_day').map(({ day }) => day),
      ['2026-01-01'],
    )
    second.close()
    rmSync(parent, { recursive: true })
  })

  test('can be opened by two threads at the same time', () => {
    const folder = mkdtempSync(join(tmpdir(), 'envelog-control-'))
    const one = openControlDatabase(folder)
    const two = openControlDatabase(folder)
    one.run("INSERT INTO total (domain_number, type, count, changed_at_ms) VALUES (1, 'Bounce', 2, 3)")
    assert.equal(two.get<{ count: number }>('SELECT count FROM total')?.count, 2)
    one.close()
    two.close()
    rmSync(folder, { recursive: true })
  })
})
