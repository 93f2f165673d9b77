/**
 * Preloaded into a server: how much processor time its serving thread spends without returning to the event loop.
 *
 * A client that connects to the socket named by THREAD_TURNS_SOCKET starts a measurement, and ends it by a byte; the answer is the
 * longest stretch in microseconds, and the time of a fixed piece of work. Measured in processor time of the thread: how long it waits for
 * a processor does not matter. What it gets done in that time does depend on the machine, and on what runs beside it: hence the fixed work.
 */
import { createServer } from 'node:net'
import { isMainThread } from 'node:worker_threads'

const path = process.env['THREAD_TURNS_SOCKET']

const NUMBERS = JSON.stringify(Array.from({ length: 200_000 }, (_, index) => index * 7919))

if (path !== undefined && isMainThread) {
  const server = createServer((socket) => {
    let isOver = false
    let longest = 0
    let before = threadTime()
    let wallBefore = performance.now()
    const turn = () => {
      const now = threadTime()
      const wallNow = performance.now()
      // Some kernels count processor time in ticks of 4 ms; no stretch takes more of it than time has passed.
      longest = Math.max(longest, Math.min(now - before, Math.round((wallNow - wallBefore) * 1000)))
      before = now
      wallBefore = wallNow
      if (isOver) socket.end(`${longest} ${timeOfFixedWork()}`)
      else setImmediate(turn)
    }
    setImmediate(turn)
    socket.on('error', () => undefined)
    socket.once('data', () => {
      isOver = true
    })
    socket.write('measuring')
  })
  // A program that the server starts inherits the variable, but the socket is already in use.
  server.on('error', () => undefined)
  server.listen(path).unref()
}

/** The shortest of some times: collections of garbage are left out. */
function timeOfFixedWork(): number {
  const times = Array.from({ length: 3 }, () => {
    const before = threadTime()
    JSON.parse(NUMBERS)
    return threadTime() - before
  })
  return Math.min(...times)
}

function threadTime(): number {
  const { user, system } = process.threadCpuUsage()
  return user + system
}
