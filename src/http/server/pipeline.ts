/**
 * One request of a connection at a time: requests that a client sends before the previous response is finished (pipelining)
 * wait. Node would start all of them at once and keep their responses in memory until the client reads.
 */
import type { RequestListener } from 'node:http'
import type { Socket } from 'node:net'

/** `onFull` is called for a connection with more waiting requests than allowed; it has to close it. */
export function oneAtATime(
  handler: RequestListener,
  waitingMax: number,
  onFull: (socket: Socket) => void,
): RequestListener {
  const queues = new WeakMap<Socket, (() => void)[]>()

  return (request, response) => {
    const { socket } = request
    const queue = queues.get(socket)
    const begin = () => {
      response.once('close', () => beginNext(socket))
      handler(request, response)
    }
    if (!queue) {
      queues.set(socket, [])
      begin()
    } else if (queue.length < waitingMax) queue.push(begin)
    else onFull(socket)
  }

  function beginNext(socket: Socket): void {
    const next = socket.destroyed ? undefined : queues.get(socket)?.shift()
    if (next) next()
    else queues.delete(socket)
  }
}
