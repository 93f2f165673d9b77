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
    let busyBefore = busyTime()
    const turn = () => {
      const now = threadTime()
      const busyNow = busyTime()
      // Some kernels count processor time in ticks of 4 ms; no stretch takes more of it than time has passed.
      longest = Math.max(longest, Math.min(now - before, busyNow - busyBefore))
      before = now
      busyBefore = busyNow
      if (isOver) socket.end(`${longest} ${timeOfFixedWork()}`)
      else nextTurn()
    }
    // In each turn of the event loop, which may wait for the next one: a loop that never waits would need a processor of its own.
    const nextTurn = () => setImmediate(turn).unref()
    nextTurn()
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

/** Microseconds that the event loop has not spent waiting. */
function busyTime(): number {
  return Math.round((performance.now() - performance.eventLoopUtilization().idle) * 1000)
}

function threadTime(): number {
  const { user, system } = process.threadCpuUsage()
  return user + system
}
