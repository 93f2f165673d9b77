/** The tests that execute a place of the sources, the ones most likely to notice a change first. */
import { dirname } from 'node:path'
import { type Coverage, isCovered } from './coverage.ts'

export interface MeasuredTest {
  readonly file: string
  readonly coverage: Coverage
}

/** Of one mutation. Code that runs when a module is loaded is executed by nearly all tests. */
const TESTS_MAX = 30

export function findCoveringTests(
  tests: readonly MeasuredTest[],
  { file, start }: { readonly file: string; readonly start: number },
): readonly MeasuredTest[] {
  const covering = tests.filter(({ coverage }) => isCovered(coverage, file, start))
  const ranked = covering.map((test) => ({ test, distance: distanceOf(test.file, file) }))
  ranked.sort((a, b) => a.distance - b.distance || a.test.coverage.elapsedMs - b.test.coverage.elapsedMs)
  return ranked.slice(0, TESTS_MAX).map(({ test }) => test)
}

/** 0: the test of this file. Otherwise the number of folders between them. */
function distanceOf(test: string, file: string): number {
  if (test.replace('.test.ts', '.ts') === file) return 0
  const [a, b] = [dirname(test).split('/'), dirname(file).split('/')]
  const shared = a.findIndex((folder, index) => folder !== b[index])
  const common = shared < 0 ? a.length : shared
  return 1 + a.length - common + b.length - common
}
