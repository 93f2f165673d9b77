import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { findMutations } from '../scripts/mutants/find-mutations.ts'
import { applyMutation } from '../scripts/mutants/mutation.ts'
import { tryMutations } from '../scripts/mutants/try-mutations.ts'
import { openTemporaryFolder } from './harness/temporary-folder.ts'

const SCRIPT = join(import.meta.dirname, '../scripts/test-mutants.ts')

function mutantsOf(source: string): readonly string[] {
  return findMutations('x.ts', source).map((mutation) => applyMutation(source, mutation))
}

describe('mutations are found', () => {
  for (const [what, source, expected] of [
    ['at comparisons: boundary and direction', 'f(a < b)', ['f(a <= b)', 'f(a >= b)']],
    ['at logical operators and defaults', 'f(a && (b ?? c))', ['f(a || (b ?? c))', 'f(a && (c))']],
    ['at conditions', 'if (a) f(1 as number)', ['if (true) f(1 as number)', 'if (false) f(1 as number)']],
    ['at negations', 'x(!a)', ['x(a)']],
    ['at literals', 'f(0, true)', ['f(1, true)', 'f(0, false)']],
    ['at arithmetic, but not of texts', 'f(a + b, a + "b")', ['f(a - b, a + "b")']],
    ['at methods', 'f(a.some(b), (c ?? d).slice(e))', ['f(a.every(b), (c ?? d).slice(e))', 'f(a.some(b), (c ?? d))']],
    ['by removing statements', 'a.b(); c = d', ['; c = d', 'a.b(); ;']],
    ['at indexes, but not at their defaults', 'f(a[b + c] ?? 0)', ['f(a[b - c] ?? 0)', 'f(0)']],
    ['of bounds', 'const ROWS_MAX = 5 * KB', ['const ROWS_MAX = 1000 * (5 * KB)']],
    ['after characters of any length', "f('ö😀', a === b)", ["f('ö😀', a !== b)"]],
  ] as const) {
    test(what, () => {
      const found = mutantsOf(source)
      for (const mutant of expected) assert.ok(found.includes(mutant), `${mutant} is not among\n${found.join('\n')}`)
      assert.ok(!found.includes('f(a[b + c] ?? 1)'))
    })
  }

  test('not in types, imports, log lines, messages for people, times and tuning constants', () => {
    for (const source of [
      'type A = 1 | true',
      "import a from '1'",
      'let a: 1',
      'log.warn(1, true)',
      'throw new AppError(1, a + b)',
      'const WAIT_MS = 5',
      'const WAIT_MAX_MS = 5',
      'const SERVER_LIMITS = { a: 5 }',
      'const a = b?.[c]?.d',
    ]) {
      assert.deepEqual(mutantsOf(source), [], source)
    }
  })
})

/** A checkout with one module and one test. */
function writeCheckout(root: string, source: string, testBody: string): void {
  mkdirSync(join(root, 'src'))
  writeFileSync(join(root, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(root, 'src/queue.ts'), source)
  const head = "import assert from 'node:assert/strict'\nimport { isFull } from './queue.ts'\n"
  writeFileSync(join(root, 'src/queue.test.ts'), head + testBody)
}

const QUEUE = 'export function isFull(length: number, max: number): boolean {\n  return length >= max\n}\n'
const WEAK = 'assert.equal(isFull(1, 5), false)\nassert.equal(isFull(9, 5), true)\n'
const STRONG = `${WEAK}assert.equal(isFull(5, 5), true)\n`

function runScript(root: string) {
  const options = ['--root', root, '--only', 'src', '--seed', '7', '--jobs', '1']
  const { stdout, status } = spawnSync(process.execPath, [SCRIPT, ...options], { encoding: 'utf8' })
  return { stdout, status }
}

test('a weak test lets a mutation survive, which is reported with its place; a strong one does not', () => {
  using folder = openTemporaryFolder()
  writeCheckout(folder.path, QUEUE, WEAK)
  const weak = runScript(folder.path)
  assert.match(weak.stdout, /2 tried, 1 killed/)
  assert.match(weak.stdout, /1 survived \(50\.0 %\), --seed 7\n {2}src\/queue\.ts:2 {2}>= → > {2}\[survived\]/)
  assert.equal(weak.status, 1)
  writeFileSync(
    join(folder.path, 'src/queue.test.ts'),
    readFileSync(join(folder.path, 'src/queue.test.ts'), 'utf8').replace(WEAK, STRONG),
  )
  const strong = runScript(folder.path)
  assert.match(strong.stdout, /2 tried, 2 killed/)
  assert.equal(strong.status, 0)
  assert.equal(readFileSync(join(folder.path, 'src/queue.ts'), 'utf8'), QUEUE, 'the checkout itself is not changed')
})

test('code that no test executes is reported; an endless loop counts as noticed', async () => {
  using folder = openTemporaryFolder()
  const source =
    'export function isFull(length: number, max: number): boolean {\n' +
    '  for (let at = 0; at < length; at += 1) if (at === max) return true\n' +
    '  return false\n}\n' +
    'export function unused(a: number): number {\n  return a - 1\n}\n'
  writeCheckout(folder.path, source, 'assert.equal(isFull(5, 9), false)\n')
  const chosen = findMutations('src/queue.ts', source).filter(({ change }) => ['+= → -=', '- → +'].includes(change))
  const outcomes = await tryMutations(chosen, {
    root: folder.path,
    tests: ['src/queue.test.ts'],
    jobs: 1,
    slowerMs: 500,
    timeLimitMs: 60_000,
    onProgress: () => undefined,
    onOutcome: () => undefined,
  })
  assert.deepEqual(
    outcomes.map(({ verdict }) => verdict),
    ['timed out', 'not covered'],
  )
})
