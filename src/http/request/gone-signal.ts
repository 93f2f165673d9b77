/** A signal that aborts when the client closes its connection before the response has been sent. */
import type { FastifyReply } from 'fastify'

export function goneSignal({ raw }: Pick<FastifyReply, 'raw'>): AbortSignal {
  const gone = new AbortController()
  raw.once('close', () => {
    if (!raw.writableFinished) gone.abort()
  })
  return gone.signal
}
