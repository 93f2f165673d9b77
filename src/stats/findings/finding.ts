/** What the comparison with usual hours has found. */
import type { EventType } from '../../events/event.ts'
import type { Replies } from '../../events/replies/count-replies.ts'
import type { FailureFigure } from './deviation.ts'

export interface CountedValue {
  readonly value: string
  readonly count: number
}

export interface Finding {
  readonly figure: FailureFigure
  readonly types: readonly EventType[]
  /** Undefined: of several providers, none of which stands out. Empty: of events without one. */
  readonly provider: string | undefined
  /** How many, if it is of several. */
  readonly providers?: number
  /** Undefined: of any. Empty: of events without one. */
  readonly classification: string | undefined
  /** The sending address that is the cause, if the finding is about one. */
  readonly address?: string
  readonly sinceMs: number
  /** Absent while it lasts. */
  readonly untilMs?: number
  readonly count: number
  /** What was to be expected in this time. */
  readonly usual: number
  /** The provider or the address had no mail in the hours that were compared with: `usual` is an estimate. */
  readonly isNew: boolean
  /** Of the mail of the provider or the address, and of all mail, in this time. */
  readonly shareOfGroup: number
  readonly shareOfAll: number
  readonly domains: { readonly count: number; readonly largest: readonly CountedValue[] }
  /** Addresses that the events examined for replies were sent from, as far as they are known and shown. In a finding about one: it alone. */
  readonly addresses: readonly CountedValue[]
  /** Absent if the caller may not read the log, or if there was no time left. */
  readonly replies?: Replies
}

/** `weeks`: the same hours of so many weeks before. `hours`: the average of so many hours before the window. */
export type Comparison =
  | { readonly basis: 'weeks'; readonly weeks: number }
  | { readonly basis: 'hours'; readonly hours: number }
  | { readonly basis: 'none' }

export interface Findings {
  readonly fromMs: number
  readonly toMs: number
  readonly comparison: Comparison
  /** Worst first. */
  readonly findings: readonly Finding[]
  /** Findings that are less bad than those listed. */
  readonly omitted: number
  /** There were too many providers, classes and addresses to examine all. */
  readonly isCut: boolean
}
