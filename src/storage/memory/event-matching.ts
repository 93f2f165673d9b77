/** Which events a search finds: the meaning of every filter, one line each. */
import type { EmailEvent, EventExtension } from '../../events/event.ts'
import type { CodeRange, LogExclusions, LogFilters, LogWindow, TextFilter } from '../../events/log/log-query.ts'
import { maskReply } from '../../events/replies/mask-reply.ts'
import { lowerAscii } from '../../lib/text/case-folding.ts'

const TEXT_FIELDS = ['recipient', 'sender', 'from', 'subject'] as const

export function isWithin({ timestamp }: EmailEvent, { startTimestamp, endTimestamp }: LogWindow): boolean {
  return timestamp >= startTimestamp && timestamp <= endTimestamp
}

export function matches(event: EmailEvent, filters: LogFilters, extension: EventExtension = {}): boolean {
  const { types, codes, providers, classifications, anyText, messageId } = filters
  const { response_code: code = -1, provider_name: provider, bounce_classification: classification } = event
  return (
    (types === undefined || types.includes(event.type)) &&
    (codes === undefined || codes.some(includes(code))) &&
    (providers === undefined || (provider !== undefined && providers.includes(provider))) &&
    (classifications === undefined || (classification !== undefined && classifications.includes(classification))) &&
    isOneOf(extension.sending_address, filters.sendingAddresses) &&
    isOneOf(extension.sending_source, filters.sendingSources) &&
    isOneOf(extension.sending_pool, filters.sendingPools) &&
    (messageId === undefined || event.id === messageId) &&
    (anyText === undefined || event.id === anyText || TEXT_FIELDS.some((field) => contains(event[field], anyText))) &&
    TEXT_FIELDS.every((field) => contains(event[field], filters[field])) &&
    (filters.texts ?? []).every((text) => hasText(event, text)) &&
    (filters.answers ?? []).every((answer) => hasAnswer(event, answer)) &&
    (filters.replies === undefined || hasReply(event, filters.replies)) &&
    !isExcluded(event, filters.without ?? {}, extension)
  )
}

function isExcluded(event: EmailEvent, without: LogExclusions, extension: EventExtension): boolean {
  const { types = [], codes = [], providers = [], classifications = [], texts = [], answers = [] } = without
  const { sendingAddresses = [], sendingSources = [], sendingPools = [] } = without
  return (
    types.includes(event.type) ||
    codes.some(includes(event.response_code ?? -1)) ||
    providers.some((provider) => provider === event.provider_name) ||
    classifications.some((name) => name === event.bounce_classification) ||
    sendingAddresses.some((address) => address === extension.sending_address) ||
    sendingSources.some((source) => source === extension.sending_source) ||
    sendingPools.some((pool) => pool === extension.sending_pool) ||
    texts.some((text) => hasText(event, text)) ||
    answers.some((answer) => hasAnswer(event, answer)) ||
    hasReply(event, without.replies ?? [])
  )
}

function includes(code: number): (range: CodeRange) => boolean {
  return ({ from, to }) => code >= from && code <= to
}

function hasText(event: EmailEvent, { text, fields, ids = [] }: TextFilter): boolean {
  return ids.includes(event.id) || fields.some((field) => contains(event[field], text))
}

function hasAnswer({ response_content: content }: EmailEvent, answer: string): boolean {
  return content !== undefined && lowerAscii(content).includes(lowerAscii(answer))
}

function hasReply({ response_content: content = '' }: EmailEvent, masks: readonly string[]): boolean {
  return masks.includes(maskReply(content))
}

function isOneOf(text: string | undefined, wanted: readonly string[] | undefined): boolean {
  return wanted === undefined || (text !== undefined && wanted.includes(text))
}

/** Ignores letter case in the same way as regular expressions. */
function contains(text: string | undefined, needle: string | undefined): boolean {
  if (needle === undefined) return true
  return text !== undefined && new RegExp(RegExp.escape(needle), 'iu').test(text)
}
