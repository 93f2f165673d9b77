/**
 * Fields that are only displayed, in one text: reading a column costs a fixed time in every part, and a page reads all of these. Type and
 * code are also columns of their own, for filters and counts.
 */

export interface EventDetails {
  /** Place in EVENT_TYPES. */
  readonly type: number
  readonly code: number | undefined
  /** Bits of PRESENT. */
  readonly present: number
  readonly size: number
  /** Seconds from the event to the next attempt, plus one; 0 if it is not known. */
  readonly retryAfter: number
  readonly serviceMessageId: string
}

/** What the events of a message share comes first: compression finds it in the row before. */
export function writeDetails({ type, code, present, size, retryAfter, serviceMessageId }: EventDetails): string {
  return `${serviceMessageId} ${size} ${present} ${retryAfter} ${code ?? ''} ${type}`
}

export function readDetails(text: string): EventDetails {
  let end = text.length
  const takeLast = () => {
    const at = text.slice(0, end).lastIndexOf(' ')
    if (at === -1) throw new Error(`not the details of an event: ${JSON.stringify(text)}`)
    const last = text.slice(at + 1, end)
    end = at
    return last
  }
  const type = Number(takeLast())
  const code = takeLast()
  const retryAfter = Number(takeLast())
  const present = Number(takeLast())
  const size = Number(takeLast())
  const serviceMessageId = text.slice(0, end)
  return { type, code: code === '' ? undefined : Number(code), present, size, retryAfter, serviceMessageId }
}
