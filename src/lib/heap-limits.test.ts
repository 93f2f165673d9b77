import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'

const MODULE = pathToFileURL(`${import.meta.dirname}/heap-limits.ts`).href

/** Prints the size of the young generation of a thread, and of the thread that started it, after both have filled theirs. */
const PROGRAM = `
  import { getHeapSpaceStatistics } from 'node:v8'
  import { Worker, isMainThread, parentPort } from 'node:worker_threads'
  import { youngGenerationOf } from '${MODULE}'
  // Some objects outlive a collection: otherwise it does not grow.
  const kept = []
  for (let index = 0; index < 2_000_000; index++) kept[index % 200_000] = { index }
  const { space_size } = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')
  if (isMainThread) {
    const worker = new Worker(new URL(import.meta.url), { resourceLimits: youngGenerationOf(8) })
    worker.on('message', (ofThread) => console.log(JSON.stringify({ ofThread, own: space_size })))
  } else parentPort.postMessage(space_size)
`

/** Prints the largest size of a heap with objects that live for a while and are replaced. */
const REPLACING = `
  import { getHeapStatistics } from 'node:v8'
  import { limitOldGeneration } from '${MODULE}'
  if (process.argv[1] === 'limited') limitOldGeneration()
  const kept = []
  let largest = 0
  for (let index = 0; index < 2_500_000; index++) {
    kept[index % 200_000] = { index, text: 'event ' + index }
    if (index % 100_000 === 0) largest = Math.max(largest, getHeapStatistics().total_heap_size)
  }
  console.log(largest)
`

test('a thread has the young generation that it is given, whatever the option of the process', () => {
  const source = `data:text/javascript,${encodeURIComponent(PROGRAM)}`
  const args = [
    '--no-warnings',
    '--max-semi-space-size=16',
    '--input-type=module',
    '-e',
    `import ${JSON.stringify(source)}`,
  ]
  const { ofThread, own } = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as {
    readonly ofThread: number
    readonly own: number
  }
  assert.ok(own > 16e6, `the process has ${own} bytes`)
  assert.ok(ofThread <= 9e6, `the thread has ${ofThread} bytes`)
})

test('old objects that nobody needs are collected before they double a heap', () => {
  const largest = (argument: string) => {
    const options = ['--max-semi-space-size=4', '--input-type=module', '-e', REPLACING, argument]
    return Number(execFileSync(process.execPath, ['--no-warnings', ...options], { encoding: 'utf8' }))
  }
  const [limited, unlimited] = [largest('limited'), largest('unlimited')]
  assert.ok(limited < 0.75 * unlimited, `${limited} bytes instead of ${unlimited}`)
})
