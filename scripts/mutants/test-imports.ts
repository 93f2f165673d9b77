/** Which files of a checkout a test file can reach: by imports, and by the paths of modules that it starts as threads. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Nothing of it is executed. */
const TYPE_IMPORT = /^(?:import|export) type [^'"]*from ['"][^'"\n]+['"]/gm
const RELATIVE_PATH = /['"](\.{1,2}\/[^'"\n]+\.(?:ts|mjs))['"]/g

export class TestImports {
  readonly #root: string
  readonly #direct = new Map<string, readonly string[]>()
  readonly #steps = new Map<string, ReadonlyMap<string, number>>()
  readonly #closures = new Map<string, readonly string[]>()

  constructor(root: string) {
    this.#root = root
  }

  /** With the file itself, sorted. */
  closure(file: string): readonly string[] {
    const known = this.#closures.get(file)
    if (known) return known
    const closure = [...this.#stepsFrom(file).keys()].sort()
    this.#closures.set(file, closure)
    return closure
  }

  /** Imports on the shortest way to a file: 1 if the test imports it itself. Undefined if it does not reach it. */
  stepsTo(test: string, file: string): number | undefined {
    return this.#stepsFrom(test).get(file)
  }

  #stepsFrom(file: string): ReadonlyMap<string, number> {
    const known = this.#steps.get(file)
    if (known) return known
    const reached = new Map([[file, 0]])
    // A map includes what is added while it is iterated.
    for (const [one, steps] of reached) {
      for (const imported of this.#importsOf(one)) if (!reached.has(imported)) reached.set(imported, steps + 1)
    }
    this.#steps.set(file, reached)
    return reached
  }

  #importsOf(file: string): readonly string[] {
    const known = this.#direct.get(file)
    if (known) return known
    const source = readFileSync(join(this.#root, file), 'utf8').replace(TYPE_IMPORT, '')
    const paths = [...source.matchAll(RELATIVE_PATH)].map(([, path = '']) => join(dirname(file), path))
    const found = [...new Set(paths)].filter((path) => !path.startsWith('..') && existsSync(join(this.#root, path)))
    this.#direct.set(file, found)
    return found
  }
}
