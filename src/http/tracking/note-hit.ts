/** Records a hit before the response is sent; the response is sent in any case. */
import type { FastifyRequest } from 'fastify'
import type { TokenFields } from '../../../integrations/haraka/lib/tracking/token.mjs'
import { toHit } from '../../tracking/hit.ts'
import { findMachine } from '../../tracking/machines.ts'
import type { AppDeps } from '../app-deps.ts'

/** Maximum delay of a response by the disk. The hit is still written afterwards. */
const WRITE_TIMEOUT_MS = 1000

export async function noteHit(deps: AppDeps, request: FastifyRequest, fields: TokenFields): Promise<void> {
  const { clock, metrics, logger, tracking } = deps
  const timeMs = clock()
  const { method, headers } = request
  const machine = findMachine({ method, headers, ageMs: timeMs - fields.time * 1000 })
  metrics.countHit(fields.kind, machine === undefined ? 'person' : 'machine')
  const written = tracking.hits.record(toHit(fields, timeMs, machine)).catch((error: unknown) => {
    metrics.countHit(fields.kind, 'lost')
    logger.error({ err: error, kind: fields.kind }, 'an open or click could not be recorded')
  })
  const timeout = Promise.withResolvers<void>()
  const timer = setTimeout(timeout.resolve, WRITE_TIMEOUT_MS)
  await Promise.race([written, timeout.promise])
  clearTimeout(timer)
}
