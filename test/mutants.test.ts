import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
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

/** Nobody could notice these. */
const NEVER = [
  "a.addEventListener('abort', b, { once: false })",
  'f(a[b + c] ?? 1)',
  'f(performance.now() - a >= b)',
  'f(a.leftMs < 0)',
  'f(a.leftMs <= 1)',
  'a.sort((b, c) => (b < c ? -2 : 1))',
  'a.sort((b, c) => (b < c ? -1 : 2))',
  'a.sort((b, c) => (b <= c ? -1 : 1))',
  'f(a <= b ? -1 : 1)',
  'f(a >= ROWS_AT_ONCE)',
  'f(b < ROWS_AT_ONCE)',
]

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
    ['of bounds in a table', 'const ROWS_MAX = { a: 5 } as const', ['const ROWS_MAX = { a: 1000 * (5) } as const']],
    ['of the limits in a JSON schema', 'const TEXT = { maxLength: 5 }', ['const TEXT = { maxLength: 6 }']],
    ['of times that are computed', 'f({ waitMs: a * 1000 })', ['f({ waitMs: a / 1000 })', 'f({ waitMs: a * 1001 })']],
    [
      'at the direction of a time, but not at its boundary',
      'f(performance.now() - a > b)',
      ['f(performance.now() - a <= b)'],
    ],
    ['at the end of a deadline, but not at its moment', 'f(a.leftMs <= 0)', ['f(a.leftMs > 0)']],
    [
      'in comparisons for sorting, but for the sign',
      'a.sort((b, c) => (b < c ? -1 : 1))',
      ['a.sort((b, c) => (b < c ? 1 : 1))', 'a.sort((b, c) => (b >= c ? -1 : 1))'],
    ],
    ['of the order of two texts, but for equal ones', 'f(a < b ? -1 : 1)', ['f(a >= b ? -1 : 1)', 'f(true ? -1 : 1)']],
    [
      'by removing a listener, but not at how often it hears of an end',
      "a.addEventListener('abort', b, { once: true })",
      [';'],
    ],
    ['at how much is done in one go: the last part, but not one more', 'f(a > ROWS_AT_ONCE)', ['f(a <= ROWS_AT_ONCE)']],
    ['at how much is done in one go, the other way round', 'f(b <= ROWS_AT_ONCE)', ['f(b > ROWS_AT_ONCE)']],
    ['at the last page', 'f(a < PAGE_ROWS)', ['f(a <= PAGE_ROWS)', 'f(a >= PAGE_ROWS)']],
    ['after characters of any length', "f('ö😀', a === b)", ["f('ö😀', a !== b)"]],
  ] as const) {
    test(what, () => {
      const found = mutantsOf(source)
      for (const mutant of expected) assert.ok(found.includes(mutant), `${mutant} is not among\n${found.join('\n')}`)
      for (const mutant of NEVER) assert.ok(!found.includes(mutant), mutant)
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
      'const REFILL = { burst: 5, perMinute: 60 } as const',
      'const a = f({ timeoutMs: 5 * SECOND })',
      'const f = ({ cacheKib = 512 }) => cacheKib',
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

function runScript(root: string, ...more: readonly string[]) {
  const options = ['--root', root, '--only', 'src', '--seed', '7', '--jobs', '1', ...more]
  const { stdout, status } = spawnSync(process.execPath, [SCRIPT, ...options], { encoding: 'utf8' })
  return { stdout, status }
}

test('a weak test lets a mutation survive, which is reported with its place; a strong one does not', () => {
  using folder = openTemporaryFolder()
  writeCheckout(folder.path, QUEUE, WEAK)
  const weak = runScript(folder.path)
  assert.match(weak.stdout, /2 of 2 tried in \d+ s, 1 killed \(0 by the time limit\)/)
  assert.match(weak.stdout, /^src\/queue\.ts +2 +1 +50\.0 %$/m, 'by area')
  assert.match(weak.stdout, /1 survived \(50\.0 %\), --seed 7\n {2}src\/queue\.ts:2 {2}>= → > {2}\[survived\]/)
  assert.equal(weak.status, 1)
  writeFileSync(
    join(folder.path, 'src/queue.test.ts'),
    readFileSync(join(folder.path, 'src/queue.test.ts'), 'utf8').replace(WEAK, STRONG),
  )
  const strong = runScript(folder.path)
  assert.match(strong.stdout, /2 of 2 tried in \d+ s, 2 killed/)
  assert.equal(strong.status, 0)
  assert.equal(readFileSync(join(folder.path, 'src/queue.ts'), 'utf8'), QUEUE, 'the checkout itself is not changed')
})

test('what the time limit leaves out does not count as tried, and a run that tried nothing fails', () => {
  using folder = openTemporaryFolder()
  writeCheckout(folder.path, QUEUE, STRONG)
  const { stdout, status } = runScript(folder.path, '--time', '0')
  assert.match(stdout, /^0 of 2 tried/m)
  assert.equal(status, 1)
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

test('a test that has not executed the changed part before is not measured again because of a change elsewhere', () => {
  using folder = openTemporaryFolder()
  const { path: root } = folder
  // One mutation survives, so that all tests are considered for it.
  writeCheckout(root, QUEUE, `import './other.ts'\n${WEAK}`)
  // Reaches the module and executes nothing of it.
  const bystander =
    "import { isFull } from './queue.ts'\nimport './other.ts'\nif (typeof isFull !== 'function') throw isFull\n"
  writeFileSync(join(root, 'src/bystander.test.ts'), bystander)
  writeFileSync(join(root, 'src/other.ts'), '')
  mkdirSync(join(root, 'node_modules'))
  const kept = join(root, 'node_modules/.cache/envelog-mutants')
  const measured = () => readdirSync(kept).filter((name) => !name.startsWith('last-'))
  assert.match(runScript(root).stdout, /1 survived/)
  assert.equal(measured().length, 2)
  writeFileSync(join(root, 'src/other.ts'), '// changed\n')
  assert.match(runScript(root).stdout, /1 survived/)
  // Only the one that executes it.
  assert.equal(measured().length, 3)
  writeFileSync(join(root, 'src/bystander.test.ts'), `${bystander}if (!isFull(5, 5)) throw new Error()\n`)
  assert.match(runScript(root).stdout, /0 survived/)
})
