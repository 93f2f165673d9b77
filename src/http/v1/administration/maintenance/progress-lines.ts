/** A long job whose response is written while it runs: a JSON object per line, the last one with the result. */
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { toErrorBody } from '../../../answers/error-body.ts'
import { toRefusal } from '../../../answers/error-handlers.ts'
import { recordRequest } from '../../../observation/audit.ts'

export const NDJSON = 'application/x-ndjson'

/** Interval of empty lines, so that clients and proxies do not close a connection without output. */
const KEEP_ALIVE_MS = 15_000

/**
 * A failure before the first line gets an error status. A later failure is the last line, in the form of every error body. The
 * job continues if the caller disconnects: half a result would be useless.
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
  request.isAuditPostponed = true
  void finish()
  return reply.type(`${NDJSON}; charset=utf-8`).send(lines)

  async function finish(): Promise<void> {
    try {
      const result = JSON.stringify(await done)
      await recordRequest(request, reply, 'success')
      write(result)
    } catch (error) {
      const { status, message } = toRefusal(error, request)
      await recordRequest(request, reply, 'failed')
      write(JSON.stringify(toErrorBody(status, message)))
    }
    lines.push(null)
  }
}
