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
const NEAR_MAX = 3

/**
 * The near ones first. Of these and of the others, by distance in folders; among equals, first those that import the file themselves, then the
 * one that loads the fewest modules, which is usually the fastest. What takes long comes after, so that it is measured only for what nothing
 * else notices.
 */
export function rankTests(tests: readonly string[], file: string, ranking: Ranking): readonly string[] {
  const { imports, isNear, costOf } = ranking
  const considered = isNear ? tests.filter((test) => areaOf(test) === areaOf(file)) : tests
  const reaching = considered.flatMap((test) => {
    const closure = imports.closure(test)
    if (!closure.includes(file)) return []
    const distance = distanceOf(test, file)
    const cost = costOf(test)
    const isCostly = cost === 'long' || (cost === 'server' && distance > 0)
    return [
      {
        test,
        order: [
          Number(distance > NEAR_MAX),
          Number(isCostly),
          distance,
          Number(!imports.isDirect(test, file)),
          closure.length,
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
