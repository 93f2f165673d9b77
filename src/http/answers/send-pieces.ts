/** Sends an answer that is made piece by piece: in one go when it is short, as a stream when it is long. */
import type { FastifyReply } from 'fastify'
import { pacedStream } from './paced-stream.ts'

const SHORT_CHARACTERS = 1024 * 1024

/** Resolves when the answer is on its way. What the first pieces throw becomes the answer. */
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
