/** The npm package of the program: JavaScript and the console. `npm pack` alone does not make it, because npm runs no scripts of packages here. */
import { join } from 'node:path'
import { writeJavascript } from './javascript.ts'
import { runProgram } from './run-program.ts'

export const ROOT = join(import.meta.dirname, '../..')

/** Returns its path. */
export function packProgram(folder: string): string {
  runProgram(process.execPath, [join(ROOT, 'scripts/build-console.ts')], ROOT)
  writeJavascript(join(ROOT, 'src'), join(ROOT, 'dist'))
  return packFolder(ROOT, folder)
}

export function packFolder(source: string, folder: string): string {
  return join(folder, runProgram('npm', ['pack', '--silent', '--pack-destination', folder], source).trim())
}
