/** The tests that can reach a source file, the ones most likely to notice a change in it first. */
import { dirname } from 'node:path'
import type { TestImports } from './test-imports.ts'

/** By distance in folders; among equals, first the test that loads the fewest modules, which is usually the fastest. */
export function rankTests(
  tests: readonly string[],
  file: string,
  imports: TestImports,
  isNear: boolean,
): readonly string[] {
  const considered = isNear ? tests.filter((test) => areaOf(test) === areaOf(file) || test.startsWith('test/')) : tests
  const reaching = considered.flatMap((test) => {
    const closure = imports.closure(test)
    return closure.includes(file) ? [{ test, distance: distanceOf(test, file), size: closure.length }] : []
  })
  return reaching.sort((a, b) => a.distance - b.distance || a.size - b.size).map(({ test }) => test)
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
