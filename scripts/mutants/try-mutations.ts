/** Applies mutations to copies of a checkout, one at a time in each, and reports which of them no test notices. */
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { CheckoutCopy } from './checkout-copy.ts'
import { type Coverage, isCovered, measureCoverage, recallCoverage } from './coverage.ts'
import type { Mutation } from './mutation.ts'
import { type Cost, rankTests } from './rank-tests.ts'
import { runTestFile } from './run-test-file.ts'
import { TestImports } from './test-imports.ts'

export type Verdict = 'killed' | 'timed out' | 'survived' | 'not covered'

export interface Outcome {
  readonly mutation: Mutation
  readonly verdict: Verdict
  /** The test that has noticed it, if any. */
  readonly by?: string
}

export function isSurvivor({ verdict }: Outcome): boolean {
  return verdict === 'survived' || verdict === 'not covered'
}

export interface TryOptions {
  readonly root: string
  /** Test files, relative to the checkout. */
  readonly tests: readonly string[]
  /** Only tests in the same folder of src/, and close ones under test/: faster, but a survivor may be noticed by others. */
  readonly isNear?: boolean
  /** What is known of a test file before it is measured. */
  readonly costOf?: (test: string) => Cost
  readonly jobs?: number
  /** How much longer than without a mutation a test may take, in addition to a multiple of its time. */
  readonly slowerMs?: number
  /** Mutations whose verdict is not known after this long do not count as tried. */
  readonly timeLimitMs: number
  readonly onProgress: (text: string) => void
  readonly onOutcome: (outcome: Outcome) => void
}

/** A mutation may make a test much slower without changing its result; an endless loop must not stop the run. */
const TIMES_SLOWER = 3
const SLOWER_MS = 10_000
/**
 * How long the tests of one mutation may take together once one of them has executed it, with the time to find out which do. Code that
 * runs when a module is loaded is executed by hundreds of them; those that come last are the farthest from it.
 */
const TESTS_MAX_MS = 240_000
/** A test that takes longer is run only if no faster one has failed. */
const SLOW_MS = 15_000

export async function tryMutations(mutations: readonly Mutation[], options: TryOptions): Promise<readonly Outcome[]> {
  const { root, timeLimitMs, onOutcome } = options
  const deadlineMs = performance.now() + timeLimitMs
  using copies = new DisposableStack()
  const folders = Array.from({ length: options.jobs ?? availableParallelism() }, () => {
    return copies.use(new CheckoutCopy(root))
  })
  const trial = new Trial(options, deadlineMs)
  const outcomes: Outcome[] = []
  const waiting = mutations.values()
  // Every copy takes the next mutation when it is done with the one before.
  await Promise.all(
    folders.map(async (copy) => {
      for (const mutation of waiting) {
        const outcome = await trial.try(mutation, copy)
        if (!outcome) return
        outcomes.push(outcome)
        onOutcome(outcome)
      }
    }),
  )
  return outcomes
}

interface TimedTest {
  readonly test: string
  /** Without a mutation. */
  readonly elapsedMs: number
}

class Trial {
  readonly #options: TryOptions
  readonly #deadlineMs: number
  readonly #imports: TestImports
  /** Measured when a mutation needs it first, shared by all copies. */
  readonly #coverages = new Map<string, Promise<Coverage>>()

  constructor(options: TryOptions, deadlineMs: number) {
    this.#options = options
    this.#deadlineMs = deadlineMs
    this.#imports = new TestImports(options.root)
  }

  /** Undefined if the time is over. */
  async try(mutation: Mutation, copy: CheckoutCopy): Promise<Outcome | undefined> {
    const { slowerMs = SLOWER_MS } = this.#options
    const { environment } = copy
    let verdict: Verdict = 'not covered'
    for await (const { test, elapsedMs } of this.#coveringTests(mutation, copy)) {
      if (this.#leftMs <= 0) return undefined
      const timeLimitMs = Math.min(slowerMs + TIMES_SLOWER * elapsedMs, this.#leftMs)
      const { isPassed, isTimedOut } = await copy.mutated(mutation, () =>
        runTestFile(copy.path, test, { timeLimitMs, environment }),
      )
      // Ended by the limit of the run, not by its own.
      if (isTimedOut && this.#leftMs <= 0) return undefined
      if (!isPassed) return { mutation, verdict: isTimedOut ? 'timed out' : 'killed', by: test }
      verdict = 'survived'
    }
    return this.#leftMs <= 0 ? undefined : { mutation, verdict }
  }

  /** Those that execute the changed part, the closest first, slow ones last. Each is measured only when its turn comes. */
  async *#coveringTests(mutation: Mutation, copy: CheckoutCopy): AsyncGenerator<TimedTest> {
    const { tests, isNear = false, costOf = () => 'little' } = this.#options
    const endMs = performance.now() + TESTS_MAX_MS
    const slow: TimedTest[] = []
    let isExecuted = false
    for (const test of rankTests(tests, mutation.file, { imports: this.#imports, isNear, costOf })) {
      if (this.#leftMs <= 0) return
      if (isExecuted && performance.now() > endMs) break
      const { path: folder } = copy
      const recalled = recallCoverage(test, mutation.file, { folder, cacheFolder: this.#cacheFolder })
      if (recalled && !isCovered(recalled, mutation.file, mutation.start)) continue
      const coverage = await this.#coverageOf(test, copy)
      if (!coverage.isPassed || !isCovered(coverage, mutation.file, mutation.start)) continue
      isExecuted = true
      const timed = { test, elapsedMs: coverage.elapsedMs }
      if (timed.elapsedMs > SLOW_MS) slow.push(timed)
      else yield timed
    }
    for (const [index, timed] of slow.entries()) {
      // The closest of them in any case: it may be the contract of all storages.
      if (index === 0 || performance.now() <= endMs) yield timed
    }
  }

  get #cacheFolder(): string {
    return join(this.#options.root, 'node_modules/.cache/envelog-mutants')
  }

  get #leftMs(): number {
    return this.#deadlineMs - performance.now()
  }

  #coverageOf(test: string, copy: CheckoutCopy): Promise<Coverage> {
    const known = this.#coverages.get(test)
    if (known) return known
    const measured = this.#measure(test, copy)
    this.#coverages.set(test, measured)
    return measured
  }

  /** In a copy without a mutation. */
  async #measure(test: string, copy: CheckoutCopy): Promise<Coverage> {
    const { onProgress } = this.#options
    const cacheFolder = this.#cacheFolder
    const closure = this.#imports.closure(test)
    const coverage = await measureCoverage(test, {
      folder: copy.path,
      environment: copy.environment,
      closure,
      cacheFolder,
      leftMs: this.#leftMs,
    })
    if (!coverage.isPassed && this.#leftMs > 0) onProgress(`left out, it fails without any mutation: ${test}`)
    return coverage
  }
}
