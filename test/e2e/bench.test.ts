/** The benchmark as a program on a small log. It says nothing about speed: no test does. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { ROW_NAMES, type Row } from '../../bench/row.ts'
import type { BenchResult } from '../../bench/run.ts'
import { EVENT_TYPES } from '../../src/events/event.ts'
import { openTemporaryFolder } from '../harness/temporary-folder.ts'

const ROOT = join(import.meta.dirname, '../..')

async function runBench(args: readonly string[], tmp: string) {
  const child = spawn('npm', ['run', '--silent', 'bench', '--', ...args], {
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
  test('measures every row on the same answers of both sides, and leaves nothing behind', async () => {
    using folder = openTemporaryFolder()
    using results = openTemporaryFolder()
    // As root, PostgreSQL is run by a user of its own, who has to get to its folder.
    chmodSync(folder.path, 0o755)
    const args = ['--events', '20000', '--json', '--results', results.path]
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
      // Memory is held against a limit, everything else against another figure.
      assert.equal(isFigure(row.peer) && isFigure(row.ratio), row.name !== 'memory', row.name)
      assert.equal(typeof row.met, 'boolean', row.name)
    }
    assert.deepEqual(new Set(Object.keys(result.traffic.shares)), new Set(EVENT_TYPES))
    assert.match(readFileSync(join(results.path, 'growth-20000.svg'), 'utf8'), /^<svg .*<\/svg>\n$/s)
    const kept = JSON.parse(readFileSync(join(results.path, 'rows-20000.json'), 'utf8')) as { rows: Row[] }
    assert.deepEqual(kept.rows, result.rows)
    assert.deepEqual(globSync('envelog-bench*', { cwd: folder.path }), [])
  })

  test('refuses a row that it does not have, and names those that it has', async () => {
    using folder = openTemporaryFolder()
    const { stdout, stderr, exitCode } = await runBench(['--only', 'ingest,speed'], folder.path)
    assert.equal(exitCode, 1)
    assert.equal(stdout, '')
    assert.match(stderr, /speed.*growth_ingest/)
  })
})
