/**
 * What receiving servers replied in the newest events of a kind, by code and masked text. Reads pages of the log, a bounded number of
 * events: to be called where events may be computed over, or in turns.
 */
import { known } from '../../lib/known.ts'
import { Deadline } from '../../lib/turns/deadline.ts'
import { Turn } from '../../lib/turns/turn.ts'
import type { EmailEvent, EventExtension, EventType } from '../event.ts'
import type { LogFilters, LogPage, LogPosition, LogQuery } from '../log/log-query.ts'
import { byCount, type ValueCount } from '../log/match-counts.ts'
import { maskReply } from './mask-reply.ts'

export interface RepliesQuery
  extends Pick<LogQuery, 'domains' | 'window' | 'budgetMs' | 'tenantId' | 'signal' | 'shown'> {
  readonly types: readonly EventType[]
  /** Exact; an empty string selects events without one. */
  readonly provider?: string
  readonly classification?: string
  readonly sendingAddress?: string
  /** Events that are examined at most, the newest first. */
  readonly limit: number
}

export interface ReplyCount {
  readonly code?: number
  /** Masked; empty for events without a reply. */
  readonly text: string
  readonly count: number
}

export interface Replies {
  /** Most frequent first. */
  readonly replies: readonly ReplyCount[]
  /** Events that were counted, and those of them whose reply is not listed because there are too many different ones. */
  readonly counted: number
  readonly unlisted: number
  /** Sending addresses of the events that were counted, most frequent first. Empty if they are not shown. */
  readonly addresses: readonly ValueCount[]
  /** The limit or the budget was reached before all events were counted. */
  readonly isCut: boolean
}

/** Different replies that are counted; further ones are only added up. */
const DISTINCT_MAX = 500
/** Replies in the result. */
const LISTED_MAX = 20
/** Events of one page: they are parsed one after the other. */
const PAGE_EVENTS = 250

type ListPage = (query: LogQuery) => Promise<LogPage>

export async function countReplies(list: ListPage, query: RepliesQuery): Promise<Replies> {
  const { domains, window, types, provider, classification, sendingAddress, limit, budgetMs, tenantId, signal, shown } =
    query
  const filters: LogFilters = {
    types,
    ...(provider && { providers: [provider] }),
    ...(classification && { classifications: [classification] }),
    ...(sendingAddress && { sendingAddresses: [sendingAddress] }),
  }
  const share = { domains, window, filters, ...known({ tenantId, shown }), signal }
  const deadline = new Deadline(budgetMs)
  const counts = new ReplyCounts()
  const turn = new Turn()
  let examined = 0
  for (let after: LogPosition | undefined; ; ) {
    const leftMs = Math.max(1, deadline.leftMs)
    const pageSize = Math.min(PAGE_EVENTS, limit - examined)
    const place = after === undefined ? {} : { after, isContinuation: true }
    const page = await list({ ...share, limit: pageSize, budgetMs: leftMs, ...place })
    for (const text of page.events) {
      const event = JSON.parse(text) as EmailEvent & EventExtension
      if (isOf(event.provider_name, provider) && isOf(event.bounce_classification, classification)) counts.add(event)
      if (turn.isOver) await turn.share()
    }
    examined += page.events.length
    after = page.next
    const isOver = examined >= limit || deadline.leftMs <= 0
    if (after === undefined || isOver) return counts.finish(after !== undefined)
  }
}

/** Events without the field cannot be searched for. */
function isOf(value: string | undefined, wanted: string | undefined): boolean {
  return wanted !== '' || value === undefined || value === ''
}

class ReplyCounts {
  readonly #counts = new Map<string, { readonly code?: number; readonly text: string; count: number }>()
  readonly #addresses = new Map<string, number>()
  #counted = 0
  #unlisted = 0

  add({
    response_code: code,
    response_content: content = '',
    sending_address: address,
  }: EmailEvent & EventExtension): void {
    this.#counted++
    if (address) this.#addresses.set(address, (this.#addresses.get(address) ?? 0) + 1)
    const text = maskReply(content)
    const key = `${code ?? ''} ${text}`
    const known = this.#counts.get(key)
    if (known) known.count++
    else if (this.#counts.size >= DISTINCT_MAX) this.#unlisted++
    else this.#counts.set(key, { ...(code !== undefined && { code }), text, count: 1 })
  }

  finish(isCut: boolean): Replies {
    const sorted = [...this.#counts.values()].sort((a, b) => b.count - a.count || (a.text < b.text ? -1 : 1))
    const listed = sorted.slice(0, LISTED_MAX)
    const unlisted = sorted.slice(LISTED_MAX).reduce((sum, { count }) => sum + count, this.#unlisted)
    const addresses = [...this.#addresses].map(([value, count]) => ({ value, count })).sort(byCount)
    return { replies: listed, counted: this.#counted, unlisted, addresses, isCut }
  }
}
