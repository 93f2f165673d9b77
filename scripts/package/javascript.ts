/**
 * The program as JavaScript: Node removes types from a checkout's files, but not from files under node_modules. Types become blanks, so
 * that a stack trace names the line and the column of the source.
 */
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join } from 'node:path'

/** `from './module.ts'`, `import './module.ts'`, `import('./module.ts')`, `new URL('./thread.ts', …)`. */
const MODULE_NAME = /((?:\bfrom|\bimport|\bURL)\s*\(?\s*'\.{1,2}\/[^'\n]+)\.ts'/g

/** Modules that only tests import. */
function isForTests(path: string): boolean {
  return /\.(test|contract)\.ts$/.test(path) || path.startsWith('storage/contract/')
}

/** Writes the modules of the folder `source`, and the migrations beside them, into the folder `target`, which has nothing else afterwards. */
export function writeJavascript(source: string, target: string): void {
  rmSync(target, { recursive: true, force: true })
  const write = (path: string, content: string) => {
    const file = join(target, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
  }
  const read = (path: string) => readFileSync(join(source, path), 'utf8')
  for (const path of globSync('**/*.ts', { cwd: source }).filter((path) => !isForTests(path))) {
    write(path.replace(/\.ts$/, '.js'), stripTypeScriptTypes(read(path)).replace(MODULE_NAME, "$1.js'"))
  }
  for (const path of globSync('**/migrations/*.sql', { cwd: source })) write(path, read(path))
}
