/** What tests start: the program of this checkout and its threads or, in whole runs, the same in a few files, which start faster. */
import { join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** Where scripts/run-tests.ts put it. */
export const BUNDLE = 'ENVELOG_TEST_PROGRAM'

const bundle = process.env[BUNDLE]
const checkout = join(import.meta.dirname, '../../..')

/** For tests of the launcher itself. */
export const CHECKOUT_LAUNCHER = join(checkout, 'bin/envelog')

export const LAUNCHER = bundle === undefined ? CHECKOUT_LAUNCHER : join(bundle, 'bin/envelog')
/** The module that Node runs for a server. */
export const SERVER_MODULE = bundle === undefined ? join(checkout, 'src/main.ts') : join(bundle, 'dist/main.js')

/** The module that a thread runs for `module`, which is its own unless it is one of the program's threads. */
export function threadModule(module: string | URL): string | URL {
  if (bundle === undefined || !(module instanceof URL) || module.protocol !== 'file:') return module
  const path = relative(join(checkout, 'src'), fileURLToPath(module))
  if (path.startsWith('..') || !path.endsWith('-thread.ts')) return module
  return pathToFileURL(join(bundle, 'dist', path.replace(/\.ts$/, '.js')))
}
