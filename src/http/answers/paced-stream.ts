/**
 * A long response, produced chunk by chunk at the pace of its reader: the next chunk is produced when the previous one has been
 * sent. A reader that stalls for too long is disconnected, and a disconnect stops the work.
 */
import { Readable } from 'node:stream'
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
    const timer = setTimeout(() => stream.destroy(), SERVER_LIMITS.answerStallMs)
    timer.unref()
    try {
      yield part
    } finally {
      clearTimeout(timer)
    }
  }
}

/** Small enough that even a slow reader takes one before the timeout. */
function* cut(piece: Buffer): Generator<Buffer> {
  for (let at = 0; at < piece.length; at += BUFFER_BYTES) yield piece.subarray(at, at + BUFFER_BYTES)
}
