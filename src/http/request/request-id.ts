/** The id that ties an answer to its lines in the log: the caller's own where it is harmless, else a fresh one. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { REQUEST_ID_HEADER } from '../answers/response-headers.ts'

/** Long enough for a UUID, a ULID or a trace id; no characters with which a log line could be forged. */
const HARMLESS = /^[A-Za-z0-9._:-]{1,64}$/

export function requestIdOf(request: IncomingMessage): string {
  const given = request.headers[REQUEST_ID_HEADER]
  return typeof given === 'string' && HARMLESS.test(given) ? given : randomUUID()
}
