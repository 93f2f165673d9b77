/** Which events a search finds: the meaning of every filter, one line each. */
import type { EmailEvent } from '../../events/event.ts'
import type { LogFilters, LogWindow } from '../../events/log/log-query.ts'

const TEXT_FIELDS = ['recipient', 'sender', 'from', 'subject'] as const

export function isWithin({ timestamp }: EmailEvent, { startTimestamp, endTimestamp }: LogWindow): boolean {
  return timestamp >= startTimestamp && timestamp <= endTimestamp
}

export function matches(event: EmailEvent, filters: LogFilters): boolean {
  const { types, codes, providers, classifications, anyText, messageId } = filters
  const { response_code: code = -1, provider_name: provider, bounce_classification: classification } = event
  return (
    (types === undefined || types.includes(event.type)) &&
    (codes === undefined || codes.some(({ from, to }) => code >= from && code <= to)) &&
    (providers === undefined || (provider !== undefined && providers.includes(provider))) &&
    (classifications === undefined || (classification !== undefined && classifications.includes(classification))) &&
    (messageId === undefined || event.id === messageId) &&
    (anyText === undefined || event.id === anyText || TEXT_FIELDS.some((field) => contains(event[field], anyText))) &&
    TEXT_FIELDS.every((field) => contains(event[field], filters[field]))
  )
}

/** Ignores letter case in the same way as regular expressions. */
function contains(text: string | undefined, needle: string | undefined): boolean {
  if (needle === undefined) return true
  return text !== undefined && new RegExp(RegExp.escape(needle), 'iu').test(text)
}
