/** Sends a response that is produced in chunks: at once if it is short, as a stream if it is long. */
import type { FastifyReply } from 'fastify'
import { pacedStream } from './paced-stream.ts'

const SHORT_CHARACTERS = 256 * 1024

/** Resolves when the response has started. An error thrown by the first chunks becomes the response. */
export async function sendPieces(reply: FastifyReply, pieces: AsyncGenerator<string>): Promise<FastifyReply> {
  let start = ''
  while (start.length < SHORT_CHARACTERS) {
    const { value, done } = await pieces.next()
    if (done) return reply.send(start)
    start += value
  }
  return reply.send(pacedStream(continueWith(start, pieces)))
}

async function* continueWith(start: string, pieces: AsyncGenerator<string>): AsyncGenerator<string> {
  yield start
  yield* pieces
}
