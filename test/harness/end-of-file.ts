/**
 * Loaded before every test file. A failed test may leave a server or a socket open, which keeps its process alive and
 * the whole run waiting: print what is left and exit, after a pause in which all results are reported.
 */
import { after } from 'node:test'

const PATIENCE_MS = 15_000

after(() => {
  setTimeout(() => {
    const left = new Set(process.getActiveResourcesInfo())
    process.stderr.write(`${process.argv[1]} did not exit; still open: ${[...left].join(', ')}\n`)
    process.exit()
  }, PATIENCE_MS).unref()
})
