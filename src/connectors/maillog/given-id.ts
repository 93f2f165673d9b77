/** The id that the sending program gave to a message, in the header `X-Envelog-Id` that the mail server logs. */
import { isEventId } from '../../events/ingest/parse-event.ts'

export const ID_HEADER = 'X-Envelog-Id'

/** Other characters are altered on the way into a log, or could be confused with the log's own syntax. */
const VISIBLE = /^[!-~]+$/

/** Undefined for a value that is not a valid id: the submitter of a message controls its headers. */
export function findGivenId(value: string): string | undefined {
  const id = value.trim()
  return VISIBLE.test(id) && isEventId(id) ? id : undefined
}
