/** Completions of the search field; values are fetched when their operator is typed. */
import { useDomains } from '../api/domains.ts'
import { DAY_MS, useSeries } from '../api/series.ts'
import { useCurrentSession, useScope } from '../api/session.ts'
import { EVENT_KINDS, EVENT_TYPES } from '../kit/marks/event-kinds.ts'
import { formatShortCount } from '../kit/text/format.ts'
import { type Completion, completeOperators, completeValues, findCurrentTerm, type KnownValue } from './completions.ts'

const TYPES: readonly KnownValue[] = EVENT_TYPES.map((type) => ({ value: type, note: EVENT_KINDS[type].meaning }))

const CODES: readonly KnownValue[] = [
  { value: '4xx', note: 'temporary failures' },
  { value: '5xx', note: 'permanent failures' },
  { value: '2xx', note: 'accepted' },
  { value: '421', note: 'receiver is throttling' },
  { value: '450', note: 'mailbox busy' },
  { value: '451', note: 'greylisting or processing error' },
  { value: '550', note: 'mailbox does not exist, or blocked' },
  { value: '552', note: 'mailbox full' },
  { value: '554', note: 'transaction failed, or blocked' },
]

const DAYS = 30

export interface CompletionRequest {
  readonly text: string
  readonly caret: number
  /** Nothing is completed, and nothing fetched, before the reader has typed. */
  readonly isActive: boolean
  /** Every operator, also without a word. */
  readonly isAll: boolean
}

export function useCompletions({ text, caret, isActive, isAll }: CompletionRequest): readonly Completion[] {
  const hasSending = useCurrentSession().principal.kind === 'operator'
  const term = isActive ? findCurrentTerm(text, caret) : undefined
  const operator = term?.operator
  const domains = useDomainValues(operator === 'domain')
  const providers = useCountedValues('provider', operator === 'provider')
  const classes = useCountedValues('classification', operator === 'class')
  if (!term) return []
  if (operator === undefined) return completeOperators(text, term, { isAll, hasSending })
  const values = { type: TYPES, code: CODES, domain: domains, provider: providers, class: classes }
  const known = Object.hasOwn(values, operator) ? values[operator as keyof typeof values] : []
  return completeValues(text, { ...term, operator }, known)
}

function useDomainValues(isWanted: boolean): readonly KnownValue[] {
  const { data } = useDomains({ isWanted })
  return data?.domains.map(({ name }) => ({ value: name })) ?? []
}

/** The values that occur, most frequent first. */
function useCountedValues(group: 'provider' | 'classification', isWanted: boolean): readonly KnownValue[] {
  const from = new Date(Date.now() - DAYS * DAY_MS).toISOString().slice(0, 10)
  const params = new URLSearchParams({ group, bucket: 'day', from, limit: '30' })
  const { data } = useSeries(params, { isEnabled: useScope('domainStats') && isWanted })
  const named = data?.group === group ? data.series.filter(({ key }) => key !== '') : []
  return named.map(({ key, total }) => ({ value: key, note: `${formatShortCount(total)} in ${DAYS} days` }))
}
