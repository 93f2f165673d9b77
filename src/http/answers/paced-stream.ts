/**
 * A long response, produced chunk by chunk at the pace of its reader: the next chunk is produced when the previous one has been
 * sent. A reader that stalls for too long is disconnected, and a disconnect stops the work. The server is told by the event
 * `stalled`, because it counts such connections.
 */
import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { CloseReason } from '../server/close-reason.ts'
import { SERVER_LIMITS } from '../server/server-limits.ts'

/** Buffered for a slow reader. */
const BUFFER_BYTES = 64 * 1024

/** `onEnd` is called once, however it ends. */
export function pacedStream(pieces: AsyncGenerator<string | Buffer>, onEnd: () => void = () => undefined): Readable {
  const stream = Readable.from(watchReader(pieces), { objectMode: false, highWaterMark: BUFFER_BYTES })
  stream.once('close', onEnd)
  return stream

  async function* watchReader(source: AsyncGenerator<string | Buffer>): AsyncGenerator<Buffer> {
    for await (const piece of source) {
      for (const part of cut(typeof piece === 'string' ? Buffer.from(piece) : piece)) yield* hand(part)
    }
  }

  async function* hand(part: Buffer): AsyncGenerator<Buffer> {
    const timer = setTimeout(() => {
      stream.emit('stalled' satisfies CloseReason)
      stream.destroy()
    }, SERVER_LIMITS.answerStallMs)
    timer.unref()
    try {
      yield part
    } finally {
      clearTimeout(timer)
    }
  }
}

/** For responses that a closing server breaks off: a client that does not read would delay it for the whole grace period. */
export function brokenOffAtClose(scope: FastifyInstance): (stream: Readable) => Readable {
  const open = new Set<Readable>()
  scope.addHook('preClose', async () => {
    for (const stream of open) stream.destroy()
  })
  return (stream) => {
    open.add(stream)
    return stream.once('close', () => open.delete(stream))
  }
}

/** Small enough that even a slow reader takes one before the timeout; none of an empty piece. */
function* cut(piece: Buffer): Generator<Buffer> {
  for (let rest = piece; rest.length > 0; rest = rest.subarray(BUFFER_BYTES)) yield rest.subarray(0, BUFFER_BYTES)
}
