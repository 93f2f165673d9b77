/** The id that ties a response to its log lines: the caller's own if it is safe to log, otherwise a new one. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { REQUEST_ID_HEADER } from '../answers/response-headers.ts'

/** Long enough for a UUID, a ULID or a trace id; no characters that could forge a log line. */
const HARMLESS = /^[A-Za-z0-9._:-]{1,64}$/

export function requestIdOf(request: IncomingMessage): string {
  const given = request.headers[REQUEST_ID_HEADER]
  return typeof given === 'string' && HARMLESS.test(given) ? given : randomUUID()
}
