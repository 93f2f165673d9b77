/** Threads whose work nobody waits for. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { getPriority } from 'node:os'
import { test } from 'node:test'

const LOWEST = 19
const STEPS = 10

/** Loads a module as the main one of a process, without what a thread is given, and prints the priority at the end. */
const PROGRAM = `
  process.once('exit', () => console.log(require('node:os').getPriority(0)))
  import(process.argv[1]).catch(() => undefined)`

for (const module of [
  'backup/copying/copying-thread.ts',
  'days/recount-thread.ts',
  'erasing/erasing-thread.ts',
  'repair/repair-thread.ts',
  'troubles/checking-thread.ts',
]) {
  const skip = process.platform !== 'linux' && 'only Linux has priorities of threads'
  test(`${module} leaves the processor to others`, { skip }, () => {
    const { stdout } = spawnSync(process.execPath, ['-e', PROGRAM, new URL(module, import.meta.url).href], {
      encoding: 'utf8',
    })
    assert.equal(stdout.trim(), String(Math.min(LOWEST, getPriority() + STEPS)))
  })
}
