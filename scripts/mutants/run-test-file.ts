/** Runs one test file in a process of its own, within a time limit. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

export interface TestRun {
  readonly isPassed: boolean
  readonly isTimedOut: boolean
  readonly elapsedMs: number
}

const REPORTER = join(import.meta.dirname, 'stop-at-failure.ts')

export async function runTestFile(
  folder: string,
  file: string,
  { timeLimitMs, environment = {} }: { readonly timeLimitMs: number; readonly environment?: Record<string, string> },
): Promise<TestRun> {
  const startedMs = performance.now()
  // If this runs within a test itself, the variable would turn the output and the exit code into those of a subtest.
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env
  const child = spawn(process.execPath, [`--test-reporter=${REPORTER}`, file], {
    cwd: folder,
    env: { ...inherited, ...environment },
    stdio: 'ignore',
    // A group of its own, so that the programs it has started can be ended with it.
    detached: true,
  })
  const end = () => endGroup(child)
  // Before the copy is removed, which the test may still write to.
  process.prependOnceListener('exit', end)
  let isTimedOut = false
  const timer = setTimeout(() => {
    isTimedOut = true
    end()
  }, timeLimitMs)
  const [code] = (await once(child, 'exit')) as [number | null]
  clearTimeout(timer)
  process.off('exit', end)
  end()
  return { isPassed: code === 0, isTimedOut, elapsedMs: performance.now() - startedMs }
}

function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // Everything has ended already.
  }
}
