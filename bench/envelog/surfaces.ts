/** Questions as requests to our server: to the interface (`/webhooks`) and to the additions that the console uses (`/v1`). */
import type { EmailEvent } from '../../src/events/event.ts'
import type { Counts } from '../../test/harness/log/log-client.ts'
import type { Surface } from '../questions/http-side.ts'
import type { Filters, Question } from '../questions/question.ts'
import type { Window } from '../traffic/traffic.ts'

type Parameters = Readonly<Record<string, string | number | readonly string[] | undefined>>

/** About one domain. */
export const WEBHOOKS: Surface = {
  path(question, after) {
    if (question.kind === 'stats') return '/domain/stats'
    if (question.kind === 'series') throw new Error('the interface has no series')
    const [domain] = question.domains
    return `/webhooks/${domain}?${toQuery(webhooksParameters(question, after))}`
  },
  read(body) {
    const { events, next_token, domains } = JSON.parse(body) as {
      events?: EmailEvent[]
      next_token?: string
      domains?: Record<string, { counts: Counts }>
    }
    if (!domains) return { events: events ?? [], next: next_token }
    const toCounts = ({ bounce, delivery, reception }: Counts) => [bounce, delivery, reception]
    const counts = Object.entries(domains).map(([name, domain]) => [name, toCounts(domain.counts)] as const)
    return { counts: Object.fromEntries(counts) }
  },
}

function webhooksParameters(question: Question & { kind: 'page' | 'message' }, after?: string): Parameters {
  if (question.kind === 'message') return { message_id: question.messageId }
  if (after !== undefined) return { next_token: after }
  const { types, recipient, sender, from, subject, responseCode, startTimestamp, endTimestamp } = question.filters
  return {
    type: types,
    recipient,
    sender,
    from,
    subject,
    response_code: responseCode,
    start_timestamp: startTimestamp,
    end_timestamp: endTimestamp,
  }
}

/** About any number of domains. */
export const V1: Surface = {
  path(question, after) {
    if (question.kind === 'stats') throw new Error('asked at /domain/stats')
    const { domains: domain } = question
    switch (question.kind) {
      case 'series':
        return `/v1/stats/series?${toQuery({ domain, group: 'type', bucket: 'hour', ...toTimes(question.window) })}`
      case 'message':
        return `/v1/events?${toQuery({ domain, message_id: question.messageId })}`
      case 'page': {
        const asked = after === undefined ? { domain, ...v1Parameters(question.filters) } : { cursor: after }
        return `/v1/events?${toQuery({ ...asked, limit: question.limit })}`
      }
    }
  },
  read(body) {
    const { events, next, series } = JSON.parse(body) as {
      events?: EmailEvent[]
      next?: string | null
      series?: { key: string; counts: number[] }[]
    }
    if (!series) return { events: events ?? [], next: next ?? undefined }
    return { counts: Object.fromEntries(series.map(({ key, counts }) => [key, counts])) }
  },
}

function v1Parameters(filters: Filters): Parameters {
  const { types, recipient, sender, from, subject, responseCode, codeClass } = filters
  return {
    type: types,
    recipient,
    sender,
    header_from: from,
    subject,
    code: codeClass === undefined ? responseCode : `${codeClass}xx`,
    provider: filters.provider,
    classification: filters.classification,
    q: filters.anyText,
    ...toTimes(filters),
  }
}

/** The end is exclusive here. */
function toTimes({ startTimestamp, endTimestamp }: Window): Parameters {
  const toIso = (seconds: number) => new Date(seconds * 1000).toISOString()
  return { from: toIso(startTimestamp), to: toIso(endTimestamp + 1) }
}

function toQuery(parameters: Parameters): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) {
    for (const item of [value ?? []].flat()) query.append(name, String(item))
  }
  return query.toString()
}
