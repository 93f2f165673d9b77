/** A test file whose server is missing on a machine has to be left out with a word, and not to fail: scripts/testing/suite-servers.ts names it. */
import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { TestImports } from '../scripts/mutants/test-imports.ts'
import { SUITE_SERVERS } from '../scripts/testing/suite-servers.ts'

const ROOT = join(import.meta.dirname, '..')

/** Whoever imports one of these, however indirectly, starts the server. */
const STARTERS: Readonly<Record<string, readonly string[]>> = {
  'test/harness/storage/clickhouse/cluster.ts': ['clickhouse-server', 'zookeeper'],
  'test/harness/storage/postgres-process.ts': ['postgresql'],
  'test/harness/programs/browser.ts': ['chromium-headless-shell'],
}
/** Its quick part leaves out the cluster, which it can start. */
const CAN_DO_WITHOUT = ['test/faults/faults.test.ts']

test('every file that starts a server is listed with it, and every listed file is there', () => {
  const files = globSync('{src,test,bench,console,clients}/**/*.test.ts', { cwd: ROOT })
  const imports = new TestImports(ROOT)
  const missing = files.flatMap((file) => {
    if (CAN_DO_WITHOUT.includes(file)) return []
    const needed = imports.closure(file).flatMap((module) => STARTERS[module] ?? [])
    return needed.filter((server) => !SUITE_SERVERS[file]?.includes(server)).map((server) => `${file}: ${server}`)
  })
  assert.deepEqual(missing, [])
  assert.deepEqual(
    Object.keys(SUITE_SERVERS).filter((file) => !files.includes(file)),
    [],
  )
})
