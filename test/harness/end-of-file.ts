/**
 * Loaded before every test file. A test that failed may leave a server or a socket behind, which keeps its process alive and
 * all others waiting: it is told what is left, and ended. Not at once, so that every result has been reported by then.
 */
import { after } from 'node:test'

const PATIENCE_MS = 15_000

after(() => {
  setTimeout(() => {
    const left = new Set(process.getActiveResourcesInfo())
    process.stderr.write(`${process.argv[1]} does not end by itself; left are ${[...left].join(', ')}\n`)
    process.exit()
  }, PATIENCE_MS).unref()
})
