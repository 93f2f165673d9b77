/** A temporary copy of a checkout, whose files can be changed. The packages are those of the checkout. */
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { findMemoryFolder } from '../memory-folder.ts'
import { applyMutation, type Mutation } from './mutation.ts'

const MEMORY_BYTES_MIN = 2 ** 30

/** Not copied: what is large, and what is not part of the sources. */
const LEFT_OUT = new Set(['node_modules', '.git', 'data', 'test-results'])

export class CheckoutCopy implements Disposable {
  readonly path: string
  readonly #temporary: string

  constructor(root: string) {
    this.path = mkdtempSync(join(findMemoryFolder(MEMORY_BYTES_MIN) ?? tmpdir(), 'envelog-mutants-'))
    // As root, tests run PostgreSQL as another user, who has to reach its folder.
    chmodSync(this.path, 0o755)
    cpSync(root, this.path, { recursive: true, filter: (source) => !LEFT_OUT.has(relative(root, source)) })
    this.#temporary = join(this.path, '.tmp')
    mkdirSync(this.#temporary)
    const packages = join(root, 'node_modules')
    if (existsSync(packages)) symlinkSync(packages, join(this.path, 'node_modules'))
    process.once('exit', this.#remove)
  }

  /** For tests in it: what they leave behind goes with the copy, and unchanged modules are compiled once. */
  get environment(): Record<string, string> {
    return { TMPDIR: this.#temporary, NODE_COMPILE_CACHE: join(this.path, '.compiled') }
  }

  /** Changes a file for the time of `use`. */
  async mutated<T>(mutation: Mutation, use: () => Promise<T>): Promise<T> {
    const path = join(this.path, mutation.file)
    const source = readFileSync(path, 'utf8')
    writeFileSync(path, applyMutation(source, mutation))
    try {
      return await use()
    } finally {
      writeFileSync(path, source)
    }
  }

  readonly #remove = () => rmSync(this.path, { recursive: true, force: true, maxRetries: 5 });

  [Symbol.dispose](): void {
    process.off('exit', this.#remove)
    this.#remove()
  }
}
