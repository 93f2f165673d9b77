import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { groupTests, writeGroups } from '../scripts/testing/test-groups.ts'
import { LONGEST } from '../scripts/testing/test-order.ts'
import { openTemporaryFolder } from './harness/temporary-folder.ts'

const PASSING = "import { test } from 'node:test'\ntest('passes', () => {})\n"

function writeFiles(root: string, files: Readonly<Record<string, string>>): readonly string[] {
  for (const [file, source] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), source)
  }
  return Object.keys(files)
}

/** Runs them in one process, under the runner of node:test. */
function runGroup(files: Readonly<Record<string, string>>): {
  readonly status: number | null
  readonly output: string
} {
  using folder = openTemporaryFolder()
  const paths = writeGroups(folder.path, [writeFiles(folder.path, files)], join(folder.path, 'groups'))
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const args = ['--test', '--test-reporter=spec', ...paths]
  const { status, stdout } = spawnSync(process.execPath, args, { env, encoding: 'utf8' })
  return { status, output: stdout }
}

test('every file is in one group or alone, and those of a folder are together', () => {
  using folder = openTemporaryFolder()
  const small = Array.from({ length: 36 }, (_, index) => `src/${'abc'[index % 3]}/${index}.test.ts`)
  const files = writeFiles(folder.path, Object.fromEntries(small.map((file) => [file, PASSING])))
  const { groups, alone } = groupTests(folder.path, files)
  assert.deepEqual(alone, [])
  assert.deepEqual(groups.flat().toSorted(), files.toSorted())
  const folders = groups.map((group) => [...new Set(group.map((file) => dirname(file)))])
  assert.deepEqual(folders, [['src/a'], ['src/b'], ['src/c']])
  assert.deepEqual(groupTests(folder.path, files.toReversed()).groups, groups)
})

test('a file has a process of its own if it takes long, needs a server, awaits, or is about the process', () => {
  using folder = openTemporaryFolder()
  const long = LONGEST.find((file) => file.startsWith('src/')) ?? ''
  const alone = writeFiles(folder.path, {
    [long]: PASSING,
    'src/storage/postgres/database/notices.test.ts': PASSING,
    'test/docs.test.ts': PASSING,
    'src/environment.test.ts': `process.env['TZ'] = 'UTC'\n${PASSING}`,
    'src/memory.test.ts': `const before = process.memoryUsage()\n${PASSING}`,
    'src/awaits.test.ts': `${PASSING}const app = await open()\n`,
  })
  const sharing = writeFiles(folder.path, {
    'src/awaits-inside.test.ts': "test('later', async () => {\n  await 1\n})\n",
    'src/starts-a-program.test.ts': 'spawnSync(process.execPath)\n',
  })
  assert.deepEqual(groupTests(folder.path, [...alone, ...sharing]), { groups: [sharing], alone })
  assert.deepEqual(groupTests(folder.path, alone), { groups: [], alone })
})

test('the files of a group are suites, and hooks of one do not apply to another', () => {
  const { status, output } = runGroup({
    'src/first.test.ts': `import { after, beforeEach, test } from 'node:test'
      let count: number = 0
      beforeEach(() => { count++ })
      after(() => console.log('hooks of the first:', count))
      test('one', () => {})
      test('two', () => {})`,
    'src/second.test.ts': "import { test } from 'node:test'\ntest('three', () => console.log('second file'))",
  })
  assert.equal(status, 0, output)
  assert.match(output, /hooks of the first: 2\n.*second file/s)
  assert.match(output, /▶ src\/first\.test\.ts\n +✔ one .*▶ src\/second\.test\.ts\n +✔ three /s)
  assert.match(output, /tests 3\n/)
})

test('a group fails if a file ends the process, even with success, and names the files that were not run', () => {
  const { status, output } = runGroup({
    'src/first.test.ts': PASSING,
    'src/second.test.ts': "import { test } from 'node:test'\ntest('exits', () => process.exit(0))",
    'src/third.test.ts': PASSING,
  })
  assert.equal(status, 1, output)
  assert.match(output, /ended before these test files did:\nsrc\/second\.test\.ts\nsrc\/third\.test\.ts\n/)
})

test('a group fails if a file cannot be loaded, and the others are run', () => {
  const { status, output } = runGroup({
    'src/first.test.ts': "throw new Error('cannot be loaded')",
    'src/second.test.ts': PASSING,
  })
  assert.equal(status, 1, output)
  assert.match(output, /✖ src\/first\.test\.ts .*cannot be loaded/s)
  assert.match(output, /▶ src\/second\.test\.ts\n +✔ passes /)
})

test('a group fails if a test of a file fails, and says where', () => {
  const { status, output } = runGroup({
    'src/first.test.ts': PASSING,
    'src/second.test.ts': "import { test } from 'node:test'\ntest('fails', () => {\n  throw new Error('wrong')\n})",
  })
  assert.equal(status, 1, output)
  assert.match(output, /test at [^\n]*src\/second\.test\.ts:2:1\n/)
})
