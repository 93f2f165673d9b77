/** Long work whose answer is written while it runs: a JSON object per line, the last one with the result. */
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { toErrorBody } from '../../../answers/error-body.ts'
import { toRefusal } from '../../../answers/error-handlers.ts'

export const NDJSON = 'application/x-ndjson'

/** An empty line this often, so that no client or proxy takes work that has nothing to report for a dead connection. */
const KEEP_ALIVE_MS = 15_000

/**
 * Work that fails before it has anything to report is refused with a status of its own. Later failures are the last line, in
 * the form of every refusal. The work continues when the caller disconnects: half of it would be of use to nobody.
 */
export async function sendProgress(
  request: FastifyRequest,
  reply: FastifyReply,
  work: (report: (progress: object) => void) => Promise<object>,
): Promise<FastifyReply> {
  const lines = new Readable({ read: () => undefined })
  const begun = Promise.withResolvers<void>()
  const write = (line: string) => {
    if (!lines.destroyed) lines.push(`${line}\n`)
    begun.resolve()
  }
  const keepAlive = setInterval(() => write(''), KEEP_ALIVE_MS)
  const done = work((progress) => write(JSON.stringify(progress))).finally(() => clearInterval(keepAlive))
  await Promise.race([begun.promise, done])
  void finish()
  return reply.type(`${NDJSON}; charset=utf-8`).send(lines)

  async function finish(): Promise<void> {
    try {
      write(JSON.stringify(await done))
    } catch (error) {
      const { status, message } = toRefusal(error, request)
      write(JSON.stringify(toErrorBody(status, message)))
    }
    lines.push(null)
  }
}
