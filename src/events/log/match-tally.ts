/** Counts events one by one, newest first, in bounded memory. */
import type { EmailEvent, EventExtension, EventType } from '../event.ts'
import { maskReply } from '../replies/mask-reply.ts'
import {
  type BucketCount,
  byCount,
  COUNTED_REPLIES_MAX,
  COUNTED_VALUES_MAX,
  type CountedField,
  type CountQuery,
  type FieldCounts,
  type MatchCounts,
} from './match-counts.ts'

type CountedEvent = Pick<
  EmailEvent & EventExtension,
  | 'timestamp'
  | 'type'
  | 'provider_name'
  | 'bounce_classification'
  | 'response_code'
  | 'response_content'
  | 'sending_address'
  | 'sending_source'
  | 'sending_pool'
>

const VALUE_OF: Readonly<Record<CountedField, (event: CountedEvent, domain: string) => string | number | undefined>> = {
  type: ({ type }) => type,
  domain: (_, domain) => domain,
  provider: (event) => event.provider_name,
  classification: (event) => event.bounce_classification,
  code: (event) => event.response_code,
  reply: (event) => event.response_content,
  sending_address: (event) => event.sending_address,
  sending_source: (event) => event.sending_source,
  sending_pool: (event) => event.sending_pool,
}

export class MatchTally {
  readonly #bucketSeconds: number
  readonly #fields: readonly { readonly field: CountedField; readonly counts: Map<string, number> }[]
  /** By type, then by the start of the interval. */
  readonly #buckets = new Map<EventType, Map<number, number>>()
  readonly #cut = new Set<CountedField>()
  #total = 0
  #replies = 0
  #isReplyLeft = false

  constructor({ fields, bucketSeconds }: Pick<CountQuery, 'fields' | 'bucketSeconds'>) {
    this.#bucketSeconds = bucketSeconds
    this.#fields = fields.map((field) => ({ field, counts: new Map() }))
  }

  /** `domain`: its number. */
  add(event: CountedEvent, domain: number | string): void {
    this.#total++
    for (const { field, counts } of this.#fields) {
      const own = String(VALUE_OF[field](event, String(domain)) ?? '')
      const value = field === 'reply' ? this.#maskNext(own) : own
      if (value === '') continue
      const count = counts.get(value)
      if (count === undefined && counts.size >= COUNTED_VALUES_MAX) this.#cut.add(field)
      else counts.set(value, (count ?? 0) + 1)
    }
    const start = Math.floor(event.timestamp / this.#bucketSeconds) * this.#bucketSeconds
    const ofType = this.#buckets.get(event.type) ?? new Map<number, number>()
    this.#buckets.set(event.type, ofType.set(start, (ofType.get(start) ?? 0) + 1))
  }

  /** Nothing is counted any more but the events themselves. */
  get isFull(): boolean {
    return this.#replies >= COUNTED_REPLIES_MAX && this.#fields.every(({ field }) => field === 'reply')
  }

  #maskNext(content: string): string {
    if (content === '') return ''
    if (this.#replies >= COUNTED_REPLIES_MAX) {
      this.#isReplyLeft = true
      return ''
    }
    this.#replies++
    return maskReply(content)
  }

  finish(countedTo?: number): MatchCounts {
    const fields = this.#fields.map(
      ({ field, counts }): FieldCounts => ({
        field,
        values: [...counts].map(([value, count]) => ({ value, count })).sort(byCount),
        isCut: this.#cut.has(field),
        isNewestOnly: countedTo !== undefined || (field === 'reply' && this.#isReplyLeft),
      }),
    )
    const buckets = [...this.#buckets].flatMap(([type, ofType]) =>
      [...ofType].map(([start, count]): BucketCount => ({ start, type, count })),
    )
    return {
      total: this.#total,
      fields,
      buckets: buckets.sort((a, b) => b.start - a.start || (a.type < b.type ? -1 : 1)),
      ...(countedTo !== undefined && { countedTo }),
    }
  }
}
