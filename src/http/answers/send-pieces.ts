/** Sends a response that is produced in chunks: at once if it is short, as a stream if it is long. */
import type { FastifyReply } from 'fastify'
import type { MissingDays } from './incomplete.ts'
import { pacedStream } from './paced-stream.ts'

const SHORT_CHARACTERS = 256 * 1024

/**
 * Resolves when the response has started. An error thrown by the first chunks becomes the response. `missing`: days that are
 * set aside, for chunks that are read from the whole log as they are sent.
 */
export async function sendPieces(
  reply: FastifyReply,
  pieces: AsyncGenerator<string>,
  missing?: MissingDays,
): Promise<FastifyReply> {
  let start = ''
  while (start.length < SHORT_CHARACTERS) {
    const { value, done } = await pieces.next()
    if (done) return (missing?.nameIn(reply) ?? reply).send(start)
    start += value
  }
  const rest = missing?.whileComplete(pieces) ?? pieces
  return (missing?.nameIn(reply) ?? reply).send(pacedStream(continueWith(start, rest)))
}

async function* continueWith(start: string, pieces: AsyncIterable<string>): AsyncGenerator<string> {
  yield start
  yield* pieces
}
