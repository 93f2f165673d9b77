/**
 * A long answer, made piece by piece at the pace of its reader: the next piece is made when the one before is on its way.
 * A reader who takes nothing for long is cut off, and whoever goes away stops the work.
 */
import { Readable } from 'node:stream'

const STALLED_AFTER_MS = 60_000
/** Held back for a reader who is slower than we are. */
const BUFFER_BYTES = 64 * 1024

/** `onEnd` is called once, however it ends. */
export function pacedStream(pieces: AsyncGenerator<string>, onEnd: () => void = () => undefined): Readable {
  const stream = Readable.from(watchReader(pieces), { objectMode: false, highWaterMark: BUFFER_BYTES })
  stream.once('close', onEnd)
  return stream

  async function* watchReader(source: AsyncGenerator<string>): AsyncGenerator<Buffer> {
    for await (const piece of source) {
      for (const part of cut(Buffer.from(piece))) yield* hand(part)
    }
  }

  async function* hand(part: Buffer): AsyncGenerator<Buffer> {
    const timer = setTimeout(() => stream.destroy(), STALLED_AFTER_MS)
    timer.unref()
    try {
      yield part
    } finally {
      clearTimeout(timer)
    }
  }
}

/** So small that whoever takes anything at all takes one in time, however large the pieces are. */
function* cut(piece: Buffer): Generator<Buffer> {
  for (let at = 0; at < piece.length; at += BUFFER_BYTES) yield piece.subarray(at, at + BUFFER_BYTES)
}
