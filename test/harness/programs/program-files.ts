/** What tests start: the program of this checkout or, in whole runs, the same in a few files, which start faster. */
import { join } from 'node:path'

/** Where scripts/run-tests.ts put it. */
export const BUNDLE = 'ENVELOG_TEST_PROGRAM'

const bundle = process.env[BUNDLE]
const checkout = join(import.meta.dirname, '../../..')

/** For tests of the launcher itself. */
export const CHECKOUT_LAUNCHER = join(checkout, 'bin/envelog')

export const LAUNCHER = bundle === undefined ? CHECKOUT_LAUNCHER : join(bundle, 'bin/envelog')
/** The module that Node runs for a server. */
export const SERVER_MODULE = bundle === undefined ? join(checkout, 'src/main.ts') : join(bundle, 'dist/main.js')
