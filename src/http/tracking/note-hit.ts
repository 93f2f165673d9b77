/** Writes a hit down before it is answered, and lets the answer go out in any case. */
import type { FastifyRequest } from 'fastify'
import { toHit } from '../../tracking/hit.ts'
import { findMachine } from '../../tracking/machine.ts'
import type { TokenFields } from '../../tracking/token.ts'
import type { AppDeps } from '../app-deps.ts'

/** The longest that somebody waits for our disk. The line is written all the same. */
const PATIENCE_MS = 1000

export async function noteHit(deps: AppDeps, request: FastifyRequest, fields: TokenFields): Promise<void> {
  const { clock, metrics, logger, tracking } = deps
  const timeMs = clock()
  const { method, headers } = request
  const machine = findMachine({ method, headers, ageMs: timeMs - fields.time * 1000 })
  metrics.countHit(fields.kind, machine === undefined ? 'person' : 'machine')
  const written = tracking.hits.record(toHit(fields, timeMs, machine)).catch((error: unknown) => {
    metrics.countHit(fields.kind, 'lost')
    logger.error({ err: error, kind: fields.kind }, 'an open or a click could not be written down')
  })
  const patience = Promise.withResolvers<void>()
  const timer = setTimeout(patience.resolve, PATIENCE_MS)
  await Promise.race([written, patience.promise])
  clearTimeout(timer)
}
