/**
 * A long answer, made piece by piece at the pace of its reader: the next piece is made when the one before is on its way.
 * A reader who takes nothing for long is cut off, and whoever goes away stops the work.
 */
import { Readable } from 'node:stream'

const STALLED_AFTER_MS = 60_000
/** Held back for a reader who is slower than we are. */
const BUFFER_BYTES = 64 * 1024

/** `onEnd` is called once, however it ends. */
export function pacedStream(pieces: AsyncGenerator<string>, onEnd: () => void): Readable {
  const stream = Readable.from(watchReader(pieces), { objectMode: false, highWaterMark: BUFFER_BYTES })
  stream.once('close', onEnd)
  return stream

  async function* watchReader(source: AsyncGenerator<string>): AsyncGenerator<Buffer> {
    for await (const piece of source) {
      if (piece === '') continue
      const timer = setTimeout(() => stream.destroy(), STALLED_AFTER_MS)
      timer.unref()
      try {
        yield Buffer.from(piece)
      } finally {
        clearTimeout(timer)
      }
    }
  }
}
