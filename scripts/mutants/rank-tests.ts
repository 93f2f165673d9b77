/** The tests that can reach a source file, the ones most likely to notice a change in it first. */
import { dirname } from 'node:path'
import type { TestImports } from './test-imports.ts'

export interface Ranking {
  readonly imports: TestImports
  readonly isNear: boolean
  /** Whether a test file is known to take long, and how: those that start a server of their own may be the only ones for a module. */
  readonly costOf: (test: string) => Cost
}

export type Cost = 'little' | 'server' | 'long'

/** The folder above, and the folders beside: the contract of a storage is as near to all of its modules. */
const FOLDERS_MAX = 3
/** So is a test that is elsewhere, but about the module that a folder is there for. Tests of the whole program are farther. */
const STEPS_MAX = 3

/**
 * The near ones first: those in folders nearby, and those with few imports between them and the file. Of these and of the others: the test of
 * the file itself, then by the number of imports, by distance in folders, and by the modules that it loads: the fewest are usually the fastest.
 * What takes long comes after, so that it is measured only for what nothing else notices.
 */
export function rankTests(tests: readonly string[], file: string, ranking: Ranking): readonly string[] {
  const { imports, isNear, costOf } = ranking
  const reaching = tests.flatMap((test) => {
    const steps = imports.stepsTo(test, file)
    if (steps === undefined) return []
    const isClose = steps <= STEPS_MAX
    if (isNear && areaOf(test) !== areaOf(file) && !(isClose && test.startsWith('test/'))) return []
    const distance = distanceOf(test, file)
    const cost = costOf(test)
    const isCostly = cost === 'long' || (cost === 'server' && distance > 0)
    return [
      {
        test,
        order: [
          Number(distance > FOLDERS_MAX && !isClose),
          Number(isCostly),
          Number(distance > 0),
          steps,
          distance,
          imports.closure(test).length,
        ],
      },
    ]
  })
  return reaching.sort((a, b) => compare(a.order, b.order)).map(({ test }) => test)
}

function compare(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((value, index) => value !== other[index])
  return (one[at] ?? 0) - (other[at] ?? 0)
}

/** `src/dns` of any file below it. */
export function areaOf(file: string): string {
  return file.split('/').slice(0, 2).join('/')
}

/** 0: the test of this file. Otherwise one more than the number of folders between them. */
function distanceOf(test: string, file: string): number {
  if (test.replace('.test.ts', '.ts') === file) return 0
  const [a, b] = [dirname(test).split('/'), dirname(file).split('/')]
  const shared = a.findIndex((folder, index) => folder !== b[index])
  const common = shared < 0 ? a.length : shared
  return 1 + a.length - common + b.length - common
}
