/** Which events a search finds: the meaning of every filter, one line each. */
import type { EmailEvent } from '../../events/event.ts'
import type { LogFilters, LogWindow } from '../../events/log/log-query.ts'

export function isWithin({ timestamp }: EmailEvent, { startTimestamp, endTimestamp }: LogWindow): boolean {
  return timestamp >= startTimestamp && timestamp <= endTimestamp
}

export function matches(event: EmailEvent, filters: LogFilters): boolean {
  const { types, codes, providers, classifications, anyText, messageId } = filters
  const { response_code: code = -1, provider_name: provider, bounce_classification: classification } = event
  const texts = [event.recipient, event.sender, event.from, event.subject]
  return (
    (types === undefined || types.includes(event.type)) &&
    (codes === undefined || codes.some(({ from, to }) => code >= from && code <= to)) &&
    (providers === undefined || (provider !== undefined && providers.includes(provider))) &&
    (classifications === undefined || (classification !== undefined && classifications.includes(classification))) &&
    (messageId === undefined || event.id === messageId) &&
    (anyText === undefined || event.id === anyText || texts.some((text) => contains(text, anyText))) &&
    contains(event.recipient, filters.recipient) &&
    contains(event.sender, filters.sender) &&
    contains(event.from, filters.from) &&
    contains(event.subject, filters.subject)
  )
}

/** Ignores letter case in the same way as regular expressions. */
function contains(text: string | undefined, needle: string | undefined): boolean {
  if (needle === undefined) return true
  return text !== undefined && new RegExp(RegExp.escape(needle), 'iu').test(text)
}
