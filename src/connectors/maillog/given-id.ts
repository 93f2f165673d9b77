/** The id that the sending program gave to a message, in the header `X-Envelog-Id` that the mail server logs. */
import { isEventId } from '../../events/parse-event.ts'

export const ID_HEADER = 'X-Envelog-Id'

/** Anything else is changed on its way into a log, or ends where the words of the log go on. */
const VISIBLE = /^[!-~]+$/

/** Undefined for what cannot be an id: whoever hands in a message can write what he likes. */
export function findGivenId(value: string): string | undefined {
  const id = value.trim()
  return VISIBLE.test(id) && isEventId(id) ? id : undefined
}
