/** Applies mutations to copies of a checkout, one at a time in each, and reports which of them no test notices. */
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { CheckoutCopy } from './checkout-copy.ts'
import { measureCoverage } from './coverage.ts'
import { findCoveringTests, type MeasuredTest } from './covering-tests.ts'
import type { Mutation } from './mutation.ts'
import { runTestFile } from './run-test-file.ts'
import { TestImports } from './test-imports.ts'

export type Verdict = 'killed' | 'timed out' | 'survived' | 'not covered'

export interface Outcome {
  readonly mutation: Mutation
  readonly verdict: Verdict
  /** The test that has noticed it, if any. */
  readonly by?: string
}

export interface TryOptions {
  readonly root: string
  /** Test files, relative to the checkout. */
  readonly tests: readonly string[]
  /** Only tests in the same folder of src/ and those under test/: faster, but a survivor may be noticed by others. */
  readonly isNear?: boolean
  readonly jobs?: number
  /** How much longer than without a mutation a test may take, in addition to a multiple of its time. */
  readonly slowerMs?: number
  /** No mutation is started later than this long after the first. */
  readonly timeLimitMs: number
  readonly onProgress: (text: string) => void
  readonly onOutcome: (outcome: Outcome) => void
}

/** A mutation may make a test much slower without changing its result; an endless loop must not stop the run. */
const TIMES_SLOWER = 5
const SLOWER_MS = 10_000

export async function tryMutations(mutations: readonly Mutation[], options: TryOptions): Promise<readonly Outcome[]> {
  const { root, timeLimitMs, slowerMs = SLOWER_MS, onOutcome } = options
  const copies = new DisposableStack()
  using _ = copies
  const folders = Array.from({ length: options.jobs ?? availableParallelism() }, () => {
    return copies.use(new CheckoutCopy(root))
  })
  const tests = await measureTests(mutations, folders, options)
  const deadlineMs = performance.now() + timeLimitMs
  const outcomes: Outcome[] = []
  await share(mutations, folders, async (mutation, copy) => {
    if (performance.now() > deadlineMs) return
    const outcome = await tryMutation(mutation, findCoveringTests(tests, mutation), copy, slowerMs)
    outcomes.push(outcome)
    onOutcome(outcome)
  })
  return outcomes
}

async function tryMutation(
  mutation: Mutation,
  tests: readonly MeasuredTest[],
  copy: CheckoutCopy,
  slowerMs: number,
): Promise<Outcome> {
  if (tests.length === 0) return { mutation, verdict: 'not covered' }
  const { environment } = copy
  return copy.mutated(mutation, async () => {
    for (const { file, coverage } of tests) {
      const timeLimitMs = slowerMs + TIMES_SLOWER * coverage.elapsedMs
      const { isPassed, isTimedOut } = await runTestFile(copy.path, file, { timeLimitMs, environment })
      if (!isPassed) return { mutation, verdict: isTimedOut ? 'timed out' : 'killed', by: file }
    }
    return { mutation, verdict: 'survived' }
  })
}

/** Only the tests that reach a mutated file; tests that fail without any mutation are left out. */
async function measureTests(
  mutations: readonly Mutation[],
  folders: readonly CheckoutCopy[],
  { root, tests, isNear = false, onProgress }: TryOptions,
): Promise<readonly MeasuredTest[]> {
  const mutated = new Set(mutations.map(({ file }) => file))
  const areas = new Set(mutations.map(({ file }) => areaOf(file)))
  const imports = new TestImports(root)
  const considered = isNear ? tests.filter((file) => areas.has(areaOf(file)) || file.startsWith('test/')) : tests
  const reaching = considered.filter((file) => imports.closure(file).some((reached) => mutated.has(reached)))
  const cacheFolder = join(root, 'node_modules/.cache/envelog-mutants')
  const measured: MeasuredTest[] = []
  onProgress(`${reaching.length} test files reach the mutations; measuring what each executes`)
  await share(reaching, folders, async (file, copy) => {
    const closure = imports.closure(file)
    const coverage = await measureCoverage(file, { folder: copy.path, closure, cacheFolder })
    if (coverage.isPassed) measured.push({ file, coverage })
    else onProgress(`left out, it fails without any mutation: ${file}`)
  })
  return measured
}

/** `src/dns` of any file below it. */
function areaOf(file: string): string {
  return file.split('/').slice(0, 2).join('/')
}

/** Every copy takes the next item when it is done with the one before. */
async function share<T>(
  items: readonly T[],
  copies: readonly CheckoutCopy[],
  work: (item: T, copy: CheckoutCopy) => Promise<void>,
): Promise<void> {
  const waiting = items.values()
  await Promise.all(
    copies.map(async (copy) => {
      for (const item of waiting) await work(item, copy)
    }),
  )
}
