import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { getPriority } from 'node:os'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'

const MODULE = new URL('./lower-priority.ts', import.meta.url).href

/** Priorities of a thread before and after each of the steps. */
async function lowerInThread(steps: readonly number[]): Promise<readonly number[]> {
  const thread = new Worker(
    `const { getPriority } = require('node:os')
     const { parentPort, workerData } = require('node:worker_threads')
     import(workerData.module).then(({ lowerPriority }) => {
       const found = [getPriority(0)]
       for (const step of workerData.steps) {
         lowerPriority(step)
         found.push(getPriority(0))
       }
       parentPort.postMessage(found)
     })`,
    { eval: true, workerData: { steps, module: MODULE } },
  )
  const [found] = (await once(thread, 'message')) as [readonly number[]]
  return found
}

test('only the calling thread gives way, and it can do so again, down to the lowest priority', async () => {
  const own = getPriority(0)
  const expected = [own, Math.min(19, own + 5), Math.min(19, own + 10), 19]
  assert.deepEqual(await lowerInThread([5, 5, 100]), expected)
  assert.equal(getPriority(0), own)
})

test('a system that forbids it is no failure', () => {
  const code = `import { getPriority } from 'node:os'
    import { lowerPriority } from ${JSON.stringify(MODULE)}
    const before = getPriority(0)
    lowerPriority(-1)
    process.stdout.write(String(getPriority(0) - before))`
  // A higher priority is refused to whoever does not have this capability; only root has it.
  const prefix = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-sys_nice', '--inh-caps=-sys_nice'] : []
  const [program, ...args] = [...prefix, process.execPath, '--input-type=module', '--eval', code]
  assert.equal(execFileSync(program, args, { encoding: 'utf8' }), '0')
})
