/** The benchmark as a program, on a small log. Its figures are not judged: no test depends on speed. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { QUERY_ROWS } from '../../bench/questions/one-domain.ts'
import { ROW_NAMES, type Row } from '../../bench/report/row.ts'
import type { BenchResult } from '../../bench/run.ts'
import { EVENT_TYPES } from '../../src/events/event.ts'
import { openTemporaryFolder } from '../harness/temporary-folder.ts'

const ROOT = join(import.meta.dirname, '../..')
/** It runs beside other tests that need the processors. */
const LONG = { timeout: 900_000 }

function runBench(args: readonly string[], tmp: string) {
  return run(['npm', 'run', '--silent', 'bench', '--', ...args], tmp)
}

async function run([program, ...args]: readonly [string, ...string[]], tmp: string) {
  const child = spawn(program, args, {
    cwd: ROOT,
    env: { ...process.env, TMPDIR: tmp },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [stdout, stderr, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<[number | null]>,
  ])
  return { stdout, stderr, exitCode }
}

function isFigure(value: number | null): boolean {
  return value !== null && Number.isFinite(value) && value > 0
}

describe('npm run bench', () => {
  test('measures every row with equal answers from both sides, and cleans up', LONG, async () => {
    using folder = openTemporaryFolder()
    using results = openTemporaryFolder()
    // As root, PostgreSQL runs as another user, who needs access to its folder.
    chmodSync(folder.path, 0o755)
    const args = ['--events', '10000', '--json', '--results', results.path]
    const { stdout, stderr, exitCode } = await runBench(args, folder.path)
    assert.equal(exitCode, 0, stderr)
    const result = JSON.parse(stdout) as BenchResult

    assert.deepEqual(
      result.rows.map(({ name }) => name),
      ROW_NAMES,
    )
    for (const row of result.rows) {
      assert.deepEqual(Object.keys(row).sort(), ['met', 'name', 'ours', 'peer', 'ratio', 'target', 'unit'], row.name)
      assert.ok(isFigure(row.ours), row.name)
      // Memory has a limit, everything else is compared with another figure.
      assert.equal(isFigure(row.peer) && isFigure(row.ratio), row.name !== 'memory', row.name)
      assert.equal(typeof row.met, 'boolean', row.name)
    }
    assert.deepEqual(new Set(Object.keys(result.traffic?.shares ?? {})), new Set(EVENT_TYPES))
    assert.match(readFileSync(join(results.path, 'growth-10000.svg'), 'utf8'), /^<svg .*<\/svg>\n$/s)
    const kept = JSON.parse(readFileSync(join(results.path, 'rows-10000.json'), 'utf8')) as { rows: Row[] }
    assert.deepEqual(kept.rows, result.rows)
    assert.deepEqual(globSync('envelog-bench*', { cwd: folder.path }), [])
  })

  test('--direct queries the store without a server, and gets the same answers', async () => {
    using folder = openTemporaryFolder()
    chmodSync(folder.path, 0o755)
    const asked = ['newest', 'message_id', 'deep_page', 'no_match', 'short_needle', 'stats']
    const args = ['--events', '10000', '--json', '--direct', '--only', [...asked, 'v1_newest'].join(',')]
    const { stdout, stderr, exitCode } = await runBench(args, folder.path)
    assert.equal(exitCode, 0, stderr)
    const { rows } = JSON.parse(stdout) as BenchResult
    assert.deepEqual(
      rows.map(({ name }) => name),
      asked,
    )
  })

  test('refuses an unknown row, and names the known ones', async () => {
    using folder = openTemporaryFolder()
    const { stdout, stderr, exitCode } = await runBench(['--only', 'ingest,speed'], folder.path)
    assert.equal(exitCode, 1)
    assert.equal(stdout, '')
    assert.match(stderr, /speed.*growth_ingest/)
  })
})

test('the profile of our own time has every step and every kind of question, and cleans up', async () => {
  using folder = openTemporaryFolder()
  const program = [process.execPath, 'bench/profile.ts', '--events', '10000'] as const
  const { stdout, stderr, exitCode } = await run(program, folder.path)
  assert.equal(exitCode, 0, stderr)
  const figures = new Map(
    [...stdout.matchAll(/^(\w[\w ]*?) {2,}([\d.]+)$/gm)].map(([, name, figure]) => [name, figure]),
  )
  for (const name of ['parse', 'check', 'make rows', 'hand over', 'write', ...QUERY_ROWS])
    assert.ok(Number(figures.get(name)) > 0, `${name}:\n${stdout}`)
  // Questions to a log that is not read are answered without a statement.
  assert.match(stdout, /^newest .*\n {2}from event/m)
  assert.deepEqual(globSync('envelog-profile*', { cwd: folder.path }), [])
})
