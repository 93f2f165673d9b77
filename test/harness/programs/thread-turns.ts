/**
 * Preloaded into a server: how much processor time its serving thread spends without returning to the event loop.
 *
 * A client that connects to the socket named by THREAD_TURNS_SOCKET starts a measurement, and ends it by a byte; the answer is the
 * longest stretch in microseconds. Measured in processor time of the thread, so that other programs on the machine do not matter.
 */
import { createServer } from 'node:net'
import { isMainThread } from 'node:worker_threads'

const path = process.env['THREAD_TURNS_SOCKET']

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
      if (isOver) socket.end(String(longest))
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

function threadTime(): number {
  const { user, system } = process.threadCpuUsage()
  return user + system
}
